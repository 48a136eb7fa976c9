import { describe, expect, test } from 'vitest'
import type { Conversation } from '../../../src/platform/ai/ai.ts'
import { openSummarizer } from '../../../src/platform/ai/summarizer/open-summarizer.ts'
import { summarizeOffline } from '../../../src/platform/ai/summarizer/summarize.ts'

/** Lines of "Speaker: words", five seconds each. */
function conversation(lines: string[], given: Partial<Conversation> = {}): Conversation {
  const segments = lines.map((line, at) => {
    const colon = line.indexOf(': ')
    return { speaker: line.slice(0, colon), start: at * 5, end: at * 5 + 5, text: line.slice(colon + 2) }
  })
  return { title: '', type: 'meeting', segments, language: null, day: '2026-03-04', ...given }
}

const summaryOf = (lines: string[], given?: Partial<Conversation>) =>
  summarizeOffline(conversation(lines, given)).summary
const bulletsOf = (summary: string) => summary.split('\n').filter(line => line.startsWith('- '))

function section(summary: string, heading: string) {
  return bulletsOf(summary.split('## ').find(part => part.startsWith(`${heading}\n`)) ?? '')
}

const MESSY = [
  'Ada: Um, okay so, the the landing page is, uh, almost done, but the pricing section is st still missing.',
  'Bob: Yeah.',
  'Ada: {vocalsound} And the {disfmarker} we have {disfmarker} we have translated the page into German and French.',
  'Bob: Mm - hmm .',
  'Bob: [laughter] I mean, you know, the payment provider has not approved our account, because',
  'Ada: Right.',
  'Bob: the contract was sent to the wrong address.',
  'Bob: What I wanted to --',
  'Ada: So the budget for advertising is thirty thousand euros, you know?',
  'Bob: I could I could ask the agency whether the advertising budget covers the video.',
  'Ada: Which is why.',
  'Bob: And then the {gap} of the landing page was never finished by anybody.',
  'Ada: Yeah, yeah, okay, right, sure.'
]

describe('the key points', () => {
  const points = bulletsOf(summaryOf(MESSY))

  test('are whole sentences', () => {
    expect(points.length).toBeGreaterThan(2)
    for (const point of points) {
      expect(point).toMatch(/^- \*\*(Ada|Bob)\*\*: \p{Lu}.{20,}[.?!]$/u)
      expect(point).not.toMatch(/\b(the|of|and|because|to|is)[.?!]$|[-–—,][.?!]$/)
    }
  })

  test('have lost fillers, stutters, false starts and marks', () => {
    expect(points.join('\n')).not.toMatch(
      /\b(um|uh|yeah|okay|mm|you know|I mean)\b|\{|\[|the the|st still|I could I could|we have we have/i
    )
    expect(bulletsOf(summaryOf(MESSY.slice(0, 4)))).toEqual([
      '- **Ada**: The landing page is almost done, but the pricing section is still missing.',
      '- **Ada**: We have translated the page into German and French.'
    ])
  })

  test('join a sentence that a listener spoke into', () => {
    const joined = bulletsOf(
      summaryOf([
        'Bob: The payment provider has not approved our account, because',
        'Ada: Right.',
        'Bob: the contract was sent to the wrong address.'
      ])
    )
    expect(joined).toEqual([
      '- **Bob**: The payment provider has not approved our account, because the contract was sent to the wrong address.'
    ])
  })

  test('leave out what the transcriber could not hear', () => {
    expect(points.join('\n')).not.toContain('never finished')
  })

  test('never repeat a sentence', () => {
    const again = bulletsOf(summaryOf([...MESSY, ...MESSY, ...MESSY]))
    expect(new Set(again.map(line => line.replace(/^[^:]*: /, ''))).size).toBe(again.length)
  })
})

test('transcripts with punctuation set apart are written as usual', () => {
  const summary = summaryOf([
    "Ann: We don 't need the phone - level alignment , because it 's only used for training .",
    "Ann: The T_V_ remote has two buttons , and that 's enough .",
    'Ben: The alignment is stored in a database , so the tools can read it .'
  ])
  expect(summary).toContain("We don't need the phone-level alignment, because it's only used for training.")
  expect(summary).toContain("The TV remote has two buttons, and that's enough.")
})

test('decisions have their section, and what was only considered is not among them', () => {
  const summary = summaryOf([
    'Ada: We decided to postpone the launch to April.',
    'Bob: If we decided to cancel the launch, the sponsors would leave.',
    'Cy: They could use the old logo on the website.',
    "Ada: Let's go with the blue logo for the website.",
    'Bob: Have we agreed on the new logo for the shop?'
  ])
  expect(section(summary, 'Decisions')).toEqual([
    '- **Ada**: We decided to postpone the launch to April.',
    "- **Ada**: Let's go with the blue logo for the website."
  ])
})

test('a question is open until somebody answers it', () => {
  const summary = summaryOf([
    'Ada: Who writes the press release for the launch?',
    "Bob: I don't know yet.",
    'Ada: When does the caterer deliver the food for the party?',
    'Bob: The caterer delivers everything on Saturday morning before nine.',
    'Ada: Can you hear me?',
    "Bob: We still don't know whether the venue has enough chairs for the guests."
  ])
  expect(section(summary, 'Open questions')).toEqual([
    '- **Ada**: Who writes the press release for the launch?',
    "- **Bob**: We still don't know whether the venue has enough chairs for the guests."
  ])
})

test('next steps repeat the action items with who and when', () => {
  const summary = summaryOf([
    'Ada: The offer for the museum is finished and looks good.',
    "Ada: I'll send the offer to the museum by Friday.",
    'Bob: Fine.'
  ])
  expect(section(summary, 'Next steps')).toEqual(['- **Ada**: Send the offer to the museum (by 2026-03-06)'])
  expect(section(summary, 'Key points').join()).not.toContain('Friday')
})

test('sections without content are left out', () => {
  const summary = summaryOf([
    'Ada: The museum opens a new wing for modern art in the summer.',
    'Bob: The wing was paid for by the city.'
  ])
  expect(summary.match(/^## .*/gm)).toEqual(['## Overview', '## Key points'])
})

test('the overview names who took part, most talkative first, and counts the rest of a crowd', () => {
  expect(summaryOf(['Ada: Hello.', 'Bob: The museum opens a new wing in the summer.'])).toContain(
    'Participants: Bob, Ada.'
  )
  const crowd = Array.from(
    { length: 12 },
    (_, at) => `Person ${at} (Party): The member number ${at} supports the motion on trade.`
  )
  expect(summaryOf(crowd)).toContain(', +6.')
  expect(summaryOf(crowd)).not.toContain('(Party)')
})

test.each([
  [['Ada: Hi Bob, the parcel has arrived.', 'Bob: Great, thanks.'], 'The parcel has arrived.'],
  [['Ada: Yeah.', 'Bob: Um, okay.'], 'Participants: Ada, Bob.'],
  [['Ada: [music]'], 'Participants: Ada.'],
  [['Ada: ...'], 'Participants: Ada.']
])('the tiny conversation %j has a summary', (lines, expected) => {
  expect(summaryOf(lines)).toContain(expected)
})

test('speech without punctuation is cut where people go on', () => {
  const summary = summaryOf(
    [
      'Ada: so the budget for the trip is thirty thousand dollars and the finance team wants to cut the travel cost so we asked the agency for a cheaper hotel near the station',
      'Bob: yeah'
    ],
    { language: 'en' }
  )
  expect(bulletsOf(summary)).toContain(
    '- **Ada**: The budget for the trip is thirty thousand dollars and the finance team wants to cut the travel cost.'
  )
})

test('what was said cannot become markup', () => {
  const summary = summaryOf([
    '# Eve *x*: The budget <script>alert(1)</script> of the *new* site `rm` is gone.',
    ' : # The budget of the new site is gone for good.'
  ])
  expect(summary).not.toMatch(/(?<!\\)<|[^\\*]\*new\*|(?<!\\)`|^- #/m)
})

test('a long conversation is told in topics, at a readable length', () => {
  const subjects = ['battery charger', 'rubber case', 'voice recognition', 'marketing budget']
  const verbs = ['needs', 'replaces', 'requires', 'improves', 'shows', 'includes']
  const lines = Array.from({ length: 1200 }, (_, at) => {
    const subject = subjects[Math.floor(at / 300)]!
    const verb = verbs[at % verbs.length]!
    return `Speaker ${at % 3}: The ${subject} ${verb} a supplier from region${at % 17} because the factory${at % 13} delivers the ${subject} in week${at % 11}.`
  })
  const summary = summaryOf(lines)
  const headings = summary.match(/^### .*/gm) ?? []
  expect(headings.length).toBeGreaterThan(2)
  for (const subject of subjects) expect(summary.toLowerCase()).toContain(subject.split(' ')[1])
  expect(summary.split(/\s+/).length).toBeLessThan(500)
})

describe('other languages', () => {
  test.each([
    [
      'de',
      [
        'Anna: Die Kosten für den Stand sind gestiegen, weil der Veranstalter die Preise erhöht hat.',
        'Ben: Wir haben beschlossen, den kleinen Stand zu nehmen.'
      ],
      ['## Überblick', '## Kernpunkte', '## Entscheidungen']
    ],
    [
      'fr',
      [
        'Luc: Le prestataire a augmenté ses tarifs, donc le budget actuel ne suffit plus.',
        'Marie: On a décidé de garder la campagne en avril.'
      ],
      ['## Aperçu', '## Points clés', '## Décisions']
    ],
    [
      'es',
      [
        'Ana: El proveedor ha subido los precios, así que el presupuesto actual no alcanza.',
        'Luis: Hemos decidido mantener la campaña en abril.'
      ],
      ['## Resumen', '## Puntos clave', '## Decisiones']
    ],
    [
      'it',
      [
        "Anna: I costi dello stand sono aumentati perché l'organizzatore ha alzato i prezzi.",
        'Marco: Abbiamo deciso di prendere lo stand piccolo.'
      ],
      ['## Panoramica', '## Punti chiave', '## Decisioni']
    ],
    [
      'pt',
      [
        'Rui: Os custos do estande subiram porque o organizador aumentou os preços.',
        'Inês: Decidimos ficar com o estande pequeno perto da entrada.'
      ],
      ['## Visão geral', '## Pontos principais', '## Decisões']
    ],
    [
      'nl',
      [
        'Jan: De kosten van de stand zijn gestegen omdat de organisator de prijzen heeft verhoogd.',
        'Piet: We hebben vandaag besloten om de kleine stand te nemen.'
      ],
      ['## Overzicht', '## Belangrijkste punten', '## Besluiten']
    ]
  ])('%s has its own headings, and is recognized', (language, lines, headings) => {
    const made = summarizeOffline(conversation(lines))
    expect(made.language).toBe(language)
    expect(made.summary.match(/^## .*/gm)).toEqual(headings)
  })

  test('sentences end with the marks of their script', () => {
    const summary = summaryOf([
      '田中: 本日は新しい製品の予算について話し合いたいと思います。広告の費用が二割ほど増えています。',
      '佐藤: はい。計画を見直す必要があります。'
    ])
    expect(summary).toContain('- **田中**: 本日は新しい製品の予算について話し合いたいと思います。\n')
  })

  test.each([
    ['sv', 'sv'],
    ['swe', 'sv'],
    ['fil', 'fil'],
    ['Spanish', 'es'],
    ['de_AT', 'de'],
    ['', 'en'],
    ['Klingon', 'en']
  ])('the language %j of the source is %j, whatever the words say, unless it is no language', (language, code) => {
    expect(summarizeOffline(conversation(['Ada: The budget is gone and we need more.'], { language })).language).toBe(
      code
    )
  })
})

describe('of a conversation longer than is read', () => {
  const PLAN = 'Ada: We agreed to ship the new remote control in April because the shops are waiting for it.'
  const partial = 'Only the first part of the conversation is summarised.'

  test('the first part is summarised, and the summary says so', () => {
    const asked = conversation([
      PLAN,
      'Ben: The secret zebra budget is two million euros for the whole of the next year.'
    ])
    expect(summarizeOffline(asked).summary).not.toContain(partial)
    const summary = summarizeOffline(asked, PLAN.length - 'Ada: '.length).summary
    expect(summary).toContain(`${partial}\n`)
    expect(summary).toContain('We agreed to ship the new remote control in April')
    expect(summary).not.toContain('zebra')
  })

  test('of a segment too long for speech the rest is left out, and what follows is read', () => {
    const { summary, actionItems } = summarizeOffline(
      conversation([`Ada: ${'blah '.repeat(60_000)}`, "Ben: I'll send the offer by Friday."])
    )
    expect(summary).toContain(partial)
    expect(actionItems).toMatchObject([{ text: 'Send the offer', assignee: 'Ben' }])
  })

  test('of a script without spaces an eighth as many characters are read', () => {
    const saying = (characters: number) => Array(characters / 100).fill(`Ada: ${'我们明天开会吧。'.repeat(12)}就这样。`)
    const madeOf = (characters: number) => summarizeOffline(conversation(saying(characters)), 8_000).summary
    expect(madeOf(1_000)).not.toContain('仅总结了对话的第一部分。')
    expect(madeOf(1_100)).toContain('仅总结了对话的第一部分。')
  })

  test.each([0, 1])('no character is torn where text is cut (%i)', shift => {
    const text = `${'x'.repeat(shift)}${'😀'.repeat(150_000)}. I'll send the offer by Friday.`
    const made = summarizeOffline(conversation([`Ada: ${text}`, `Ben: ${text}`]))
    expect(JSON.stringify(made)).not.toMatch(/\\ud[89a-f]/)
    const short = `${'x'.repeat(shift)}${'😀'.repeat(700)} I'll send the offer by Friday.`
    expect(JSON.stringify(summarizeOffline(conversation([`Ada: ${short}`, 'Ben: Fine.'])))).not.toMatch(/\\ud[89a-f]/)
  })
})

test('the provider summarizes on a thread of its own, and stops when told to', async () => {
  const summaries = openSummarizer()
  const asked = conversation(MESSY)
  expect(await summaries.summarize(asked)).toEqual(summarizeOffline(asked))
  const reason = new Error('no longer wanted')
  await expect(summaries.summarize(asked, AbortSignal.abort(reason))).rejects.toBe(reason)
  await summaries.close()
})
