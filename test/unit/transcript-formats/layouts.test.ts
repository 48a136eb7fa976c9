import { describe, expect, test } from 'vitest'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { linesOf } from '../../support/transcript.ts'

const Q = 'Did the bank approve the loan?'
const A = 'Yes, they signed it yesterday.'
const TALK = ['6', `3–6 Marta Lind | ${Q}`, `6–6 Oskar Berg | ${A}`]

function lines(...content: string[]) {
  return linesOf('talk.txt', content.join('\n'))
}

function about(...content: string[]) {
  const { document, startedAt, warnings } = parseDocument('talk.txt', content.join('\n'))
  return { title: document.title, startedAt: startedAt?.text, utc: startedAt?.utc, warnings }
}

describe('reads a header of name and time above each turn', () => {
  test.each<[string, string[], string[]]>([
    [
      'Fathom',
      [
        'Orchard planning - March 02',
        'VIEW RECORDING - 10 mins (No highlights):',
        '',
        '---',
        '',
        '0:03 - Marta Lind',
        `  ${Q}`,
        '',
        '0:06 - Oskar Berg',
        `  ${A}`
      ],
      TALK
    ],
    [
      'Fathom, with lower case names',
      ['0:03 - marta lind', Q, '', '0:06 - oskar berg', A, '', '0:09 - marta lind', 'Good.'],
      ['9', `3–6 marta lind | ${Q}`, `6–9 oskar berg | ${A}`, '9–9 marta lind | Good.']
    ],
    [
      'Happy Scribe',
      ['[00:00:03.150] - Marta Lind', Q, '', '[00:00:06.000] - Oskar Berg', A],
      ['6', `3.15–6 Marta Lind | ${Q}`, `6–6 Oskar Berg | ${A}`]
    ],
    ['tl;dv', ['Orchard planning', '', '00:03 - Marta Lind', Q, '', '00:06 - Oskar Berg', A], TALK],
    ['tl;dv, with the time behind the name', ['Marta Lind: 00:03', Q, '', 'Oskar Berg: 00:06', A], TALK],
    ['Grain', ['[00:03] Marta Lind', Q, '', '[00:06] Oskar Berg', A], TALK],
    ['Gong', ['0:03 | Marta Lind', Q, '', '0:06 | Oskar Berg', A], TALK],
    ['Zencastr', ['00:03.00', 'Marta Lind', Q, '', '00:06.00', 'Oskar Berg', A], TALK],
    ['a name, a time and the words each on a line', ['Marta Lind', '0:03', Q, '', 'Oskar Berg', '0:06', A], TALK],
    [
      'copied Teams',
      ['Marta Lind', '0 minutes 3 seconds', '0:03', Q, '', 'Oskar Berg', '0 minutes 6 seconds', '0:06', A],
      TALK
    ],
    [
      'copied Teams without blank lines',
      ['Marta Lind', '0 minutes 3 seconds', '0:03', Q, 'Oskar Berg', '0 minutes 6 seconds', '0:06', A],
      TALK
    ],
    [
      'copied Teams in German',
      [
        'Marta Lind',
        '0 Minuten 3 Sekunden',
        '0:03',
        Q,
        '',
        'Oskar Berg',
        '1 Stunde 2 Minuten 6 Sekunden',
        '1:02:06',
        A
      ],
      ['3726', `3–3726 Marta Lind | ${Q}`, `3726–3726 Oskar Berg | ${A}`]
    ],
    [
      'copied Teams on a Mac',
      ['Marta Lind', '0 minutes 3 seconds0:03', Q, '', 'Oskar Berg', '0 minutes 6 seconds0:06', A],
      TALK
    ],
    [
      'older Teams documents',
      ['0:0:3.0 --> 0:0:6.0', 'Marta Lind', Q, '', '0:0:6.0 --> 0:0:9.0', 'Oskar Berg', A],
      ['9', `3–6 Marta Lind | ${Q}`, `6–9 Oskar Berg | ${A}`]
    ],
    [
      'Rev, with times on some headers',
      ['Marta Lind:', `${Q} (00:04)`, '', 'Oskar Berg (00:06):', A, '', 'Marta Lind (00:09):', 'Good.'],
      ['9', `0–6 Marta Lind | ${Q}`, `6–9 Oskar Berg | ${A}`, '9–9 Marta Lind | Good.']
    ],
    [
      'Rev, with a turn without a time in the middle',
      [
        'Marta Lind (00:00):',
        'One two three.',
        '',
        'Oskar Berg:',
        'Four five six.',
        '',
        'Marta Lind (00:10):',
        'Good.'
      ],
      ['10', '0–5 Marta Lind | One two three.', '5–10 Oskar Berg | Four five six.', '10–10 Marta Lind | Good.']
    ],
    ['Rev', ['Marta Lind (00:03):', Q, '', 'Oskar Berg (00:06):', A], TALK],
    ['Otter', ['Marta Lind  0:03', Q, '', 'Oskar Berg  0:06', A], TALK],
    ['direction marks', ['\u200e0:03 - Marta Lind\u200f', Q, '', '\u200e0:06 - Oskar Berg', A], TALK],
    [
      'several paragraphs in a turn',
      ['0:03 - Marta Lind', 'One.', '', 'Two.', '', '0:06 - Oskar Berg', A],
      ['6', '3–6 Marta Lind | One. Two.', `6–6 Oskar Berg | ${A}`]
    ]
  ])('%s', (_, content, expected) => {
    expect(lines(...content).slice(1)).toEqual(expected.slice(1))
  })
})

describe('makes offsets of times of day', () => {
  test.each<[string, string[], string[]]>([
    [
      "Zoom's saved captions",
      ['[Marta Lind] 14:02:11', Q, '', '[oskar berg] 14:02:19', A],
      ['8', `0–8 Marta Lind | ${Q}`, `8–8 oskar berg | ${A}`]
    ],
    [
      'Zoom across midnight',
      ['[Marta Lind] 23:59:55', Q, '', '[Oskar Berg] 00:00:05', A],
      ['10', `0–10 Marta Lind | ${Q}`, `10–10 Oskar Berg | ${A}`]
    ],
    [
      'Zoom in twelve hours',
      ['[Marta Lind] 11:59:50 AM', Q, '[Oskar Berg] 12:00:00 PM', A],
      ['10', `0–10 Marta Lind | ${Q}`, `10–10 Oskar Berg | ${A}`]
    ],
    [
      'Zoom, with any name',
      ['[Marta L. [Acme]] 09:02:11', Q, '', '[marta b.] 09:02:14', A],
      ['3', `0–3 Marta L. [Acme] | ${Q}`, `3–3 marta b. | ${A}`]
    ],
    [
      'a time of day before each name',
      [`14:02:11 Marta Lind: ${Q}`, `14:02:19 Oskar Berg: ${A}`],
      ['', `0–8 Marta Lind | ${Q}`, `8–8 Oskar Berg | ${A}`]
    ],
    ['offsets in brackets stay', ['[Marta Lind] 00:00:03', Q, '', '[Oskar Berg] 00:00:06', A], TALK],
    [
      'a Meet extension',
      ['Marta Lind (10:02 AM)', Q, '', 'Oskar Berg (10:03 AM)', A],
      ['60', `0–60 Marta Lind | ${Q}`, `60–60 Oskar Berg | ${A}`]
    ],
    [
      'a Meet extension with dates',
      ['Marta Lind (3/2/2026, 12:59 PM)', Q, '', 'Oskar Berg (3/2/2026, 1:01 PM)', A],
      ['120', `0–120 Marta Lind | ${Q}`, `120–120 Oskar Berg | ${A}`]
    ]
  ])('%s', (_, content, expected) => {
    expect(lines(...content)).toEqual(expected)
  })
})

test.each<[string, string[], string[]]>([
  [
    'a time before each line',
    ['[0:03] hello there', 'more text', '', '[0:06] other things', 'and more'],
    ['6', '3–6 Speaker | hello there more text', '6–6 Speaker | other things and more']
  ],
  [
    'names before the words',
    ['[00:03] Marta: good', '', '[00:06] Oskar: fine'],
    ['6', '3–6 Marta | good', '6–6 Oskar | fine']
  ]
])('does not take words for a header: %s', (_, content, expected) => {
  expect(lines(...content).slice(1)).toEqual(expected.slice(1))
})

test('names the lines of a chat below the transcript', () => {
  const content = [
    'Marta Lind (10:02 AM)',
    Q,
    '',
    'Oskar Berg (10:03 AM)',
    A,
    '',
    '---------------',
    'CHAT MESSAGES',
    '---------------',
    '',
    'Marta Lind (10:02 AM)',
    'A link'
  ]
  expect(lines(...content).slice(1)).toEqual([`0–60 Marta Lind | ${Q}`, `60–60 Oskar Berg | ${A}`])
  expect(about(...content).warnings).toEqual(['Lines 8 to 12 are left out, because they are the chat.'])
})

test('keeps words before the first header, takes the title, and names lines that are not speech', () => {
  const content = [
    'Orchard planning',
    '',
    'Good morning everybody, the account is 4711.',
    '',
    '0:03 - Marta Lind',
    Q,
    'ACTION ITEM: Call the bank - WATCH: https://fathom.video/1',
    '',
    '0:06 - Oskar Berg',
    A
  ]
  expect(lines(...content)).toEqual([
    '6',
    '0–3 Speaker | Good morning everybody, the account is 4711.',
    ...TALK.slice(1)
  ])
  expect(about(...content)).toMatchObject({
    title: 'Orchard planning',
    warnings: [
      'Line 7 is left out, because it is not speech: ACTION ITEM: Call the bank - WATCH: https://fathom.video/1'
    ]
  })
})

const MEET = [
  '00:00:00',
  ' ',
  `Marta Lind: Good morning. ${Q}`,
  `Oskar Berg: ${A}`,
  '',
  '00:05:00',
  '',
  'Marta Lind: Then I order the tractor.',
  'Oskar Berg: Good. The plough can wait.',
  '',
  'Transcription ended after 00:09:41',
  '',
  'This editable transcript was computer generated and might contain errors. People can also change the text after it was created.'
]
const MEET_TALK = [
  '581',
  `0–178.378 Marta Lind | Good morning. ${Q}`,
  `178.378–300 Oskar Berg | ${A}`,
  '300–437.745 Marta Lind | Then I order the tractor.',
  '437.745–581 Oskar Berg | Good. The plough can wait.'
]

describe("reads Google Meet's document", () => {
  test.each<[string, string[]]>([
    [
      'as text',
      [
        'Orchard planning (2026-03-02 at 10:00 GMT+1) - Transcript',
        'Attendees',
        'Marta Lind, Oskar Berg',
        'Transcript',
        '',
        ...MEET
      ]
    ],
    [
      'with the newer title',
      [
        'Orchard planning - 2026/03/02 10:00 GMT+01:00 - Transcript',
        'Attendees',
        'Marta Lind, Oskar Berg',
        'Transcript',
        ...MEET
      ]
    ],
    [
      'as Markdown',
      [
        '# **Orchard planning (2026-03-02 at 10:00 GMT+1) \\- Transcript**',
        '',
        '## **Attendees**',
        '',
        'Marta Lind, Oskar Berg',
        '',
        '## **Transcript**',
        '',
        ...MEET.map(line => line.replace(/^(\d\d:.*)$/, '### $1').replace(/^(\w+ \w+:) (.*)$/, '**$1** $2  '))
      ]
    ],
    ['in UTC', ['Orchard planning - 2026/03/02 09:00 UTC - Transcript', ...MEET]]
  ])('%s', (_, content) => {
    expect(lines(...content)).toEqual(MEET_TALK)
    expect(about(...content)).toEqual({
      title: 'Orchard planning',
      startedAt: '2026-03-02T09:00:00',
      utc: true,
      warnings: []
    })
  })

  test('with a date of its own line, and names what it leaves out', () => {
    const content = [
      '📝 Notes',
      'They planned the orchard.',
      '📖 Transcript',
      'Mar 2, 2026',
      'Orchard planning - Transcript',
      ...MEET
    ]
    expect(lines(...content)).toEqual(MEET_TALK)
    expect(about(...content)).toEqual({
      title: 'Orchard planning',
      startedAt: '2026-03-02T00:00:00',
      utc: false,
      warnings: [
        'Line 1 is left out, because it is not speech: 📝 Notes',
        'Line 2 is left out, because it is not speech: They planned the orchard.'
      ]
    })
  })

  test('in another language, with a time in a zone of the user', () => {
    const german = MEET.slice(0, -1).map(line =>
      line.replace('Transcription ended after', 'Transkription wurde beendet nach')
    )
    const content = [
      'Planung (2026-03-02 um 10:00 CET) - Transkript',
      'Teilnehmende',
      'Marta Lind, Oskar Berg',
      'Transkript',
      ...german
    ]
    expect(lines(...content)).toEqual(MEET_TALK)
    expect(about(...content)).toEqual({ title: 'Planung', startedAt: '2026-03-02T10:00:00', utc: false, warnings: [] })
  })

  test('without times, with remarks in the speech and a turn of several paragraphs', () => {
    const content = [
      'Orchard - 2026/03/02 10:00 GMT - Transcript',
      '',
      'Marta Lind: One thing.',
      'and it is late',
      '',
      'Oskar Berg: Right.',
      'Marta Lind: Yes.',
      MEET.at(-1)!
    ]
    expect(lines(...content)).toEqual([
      '',
      'Marta Lind | One thing. and it is late',
      'Oskar Berg | Right.',
      'Marta Lind | Yes.'
    ])
  })

  test('with names in small letters', () => {
    const content = [
      ...MEET.slice(0, 2),
      'marta: One.',
      'oskar b: Two.',
      'marta: Three.',
      'oskar b: Four.',
      ...MEET.slice(-3)
    ]
    expect(lines(...content).map(line => line.split(' ').at(1))).toEqual([
      undefined,
      'marta',
      'oskar',
      'marta',
      'oskar'
    ])
  })
})

describe('reads Markdown with bold names', () => {
  test.each<[string, string[], string[]]>([
    [
      'as this server writes it',
      ['# Orchard planning', '', `**Marta Lind** (00:00:03): ${Q}`, '', `**Oskar Berg** (00:00:06): ${A}`],
      TALK
    ],
    [
      'without times',
      ['# Orchard planning', '', `**Marta Lind**: ${Q}`, '', `**Oskar Berg**: ${A}`],
      ['', `Marta Lind | ${Q}`, `Oskar Berg | ${A}`]
    ],
    [
      'with the colon within',
      [`**Marta Lind:** ${Q}`, '', `**Oskar Berg:** ${A}`],
      ['', `Marta Lind | ${Q}`, `Oskar Berg | ${A}`]
    ],
    ['with times in square brackets', [`**Marta Lind** [00:00:03]: ${Q}`, `**Oskar Berg** [0:06]: ${A}`], TALK],
    ['with the time within', [`**[00:00:03] Marta Lind:** ${Q}`, '', `**[00:00:06] Oskar Berg:** ${A}`], TALK],
    ['with the time before', [`[00:00:03] **Marta Lind:** ${Q}`, `[00:00:06] **Oskar Berg:** ${A}`], TALK],
    ['as a header of its own', ['**Marta Lind** 0:03', Q, '', '**Oskar Berg** 0:06', A], TALK],
    ['as a list', [`- **Marta Lind** (0:03): ${Q}`, `- **Oskar Berg** (0:06): ${A}`], TALK],
    [
      'with escapes and emphasis',
      ['**Ada \\*x\\* Lind**: \\# one \\*two\\* and *three* snake_case', '', '**oskar | Acme**: \\- four'],
      ['', 'Ada *x* Lind | # one *two* and three snake_case', 'oskar | Acme | - four']
    ],
    ['with a colon in the name', ['**Ada: Acme:**: one', '', '**Bo**: two'], ['', 'Ada: Acme: | one', 'Bo | two']],
    ['with headings as names and times', ['### Marta Lind 00:03', '', Q, '', '### Oskar Berg 00:06', '', A], TALK]
  ])('%s', (_, content, expected) => {
    expect(linesOf('talk.md', content.join('\n')).slice(1)).toEqual(expected.slice(1))
  })

  test('but bold words within a text name nobody', () => {
    expect(
      linesOf('talk.md', 'We went out.\n\n**Then**: it rained.\n\nAnd we came home.\n\nThat was all.').every(
        line => !line.includes('Then |')
      )
    ).toBe(true)
  })
})

describe('reads what stands above the speech', () => {
  const SAID = [`Marta Lind: ${Q}`, `Oskar Berg: ${A}`, 'Marta Lind: Good.']
  const TURNS = [`Marta Lind | ${Q}`, `Oskar Berg | ${A}`, 'Marta Lind | Good.']
  const ABOUT = [
    'Meeting Title: Orchard planning',
    'Date: March 2, 2026',
    'Duration: 9:41',
    'Attendees: Marta Lind, Oskar Berg'
  ]

  test.each<[string, string[]]>([
    ['a line for each fact', ABOUT],
    ['a title and a date', ['Orchard planning', '2026-03-02', 'Duration: 9 min 41 s']],
    [
      'a list of Markdown',
      ['# Orchard planning', '', '- **Date:** 2 March 2026', '- **Duration:** 00:09:41', '', '## Transcript']
    ],
    ['YAML', ['---', 'title: Orchard planning', 'date: 2026-03-02', 'duration: 00:09:41', '---']],
    ['the day as in Germany', ['Topic: Orchard planning', 'Date: 2.3.2026', 'Length: 0:09:41']]
  ])('%s', (_, head) => {
    const content = [...head, '', ...SAID].join('\n')
    expect(linesOf('talk.md', content)).toEqual(['581', ...TURNS])
    expect(linesOf('talk.txt', content)).toEqual(['581', ...TURNS])
    expect(about(...head, '', ...SAID)).toMatchObject({ title: 'Orchard planning', startedAt: '2026-03-02T00:00:00' })
  })

  test.each<[string, string[], string, boolean]>([
    ['a time beside the day', ['Date: Mar 2, 2026 10:05 AM'], '2026-03-02T10:05:00', false],
    ['a time in its own line', ['Date: 2026-03-02', 'Start time: 2:05 PM'], '2026-03-02T14:05:00', false],
    ['a time with an offset', ['Recorded on: 2026-03-02T10:05:00+01:00'], '2026-03-02T09:05:00', true],
    ['a zone', ['Date: March 2, 2026 10:05 GMT'], '2026-03-02T10:05:00', true]
  ])('%s is the start', (_, head, startedAt, utc) => {
    expect(about(...head, '', ...SAID)).toEqual({ title: undefined, startedAt, utc, warnings: [] })
  })

  test('and names what a session has no place for, or that can be read in two ways', () => {
    expect(about(...ABOUT, 'Location: Mill', 'Call date: 03/04/2026', '', ...SAID).warnings).toEqual([
      'Line 4 is left out, because it is not speech: Attendees: Marta Lind, Oskar Berg',
      'Line 5 is left out, because it is not speech: Location: Mill',
      'Line 6 is left out, because it is not speech: Call date: 03/04/2026'
    ])
    expect(about('Participants:', '- Marta Lind', '- Oskar Berg', '', ...SAID).warnings).toHaveLength(3)
    expect(about('Date: 03/04/2026', '', ...SAID)).toMatchObject({ startedAt: undefined })
  })

  test('and its people are those who speak, not the words before a colon of the head', () => {
    expect(parseDocument('talk.txt', [...ABOUT, '', ...SAID].join('\n')).document.speakers).toEqual(
      ['Marta Lind', 'Oskar Berg'].map(name => ({ label: name, person: name, is_me: false }))
    )
  })

  test('but a word that comes again below is a speaker, and a text without facts stays as it is', () => {
    const repeated = ['Speakers: Good morning.', 'Ada: Morning.', 'Speakers: Shall we?']
    expect(lines(...repeated)).toEqual(['', 'Speakers | Good morning.', 'Ada | Morning.', 'Speakers | Shall we?'])
    expect(lines('We bought a pump.', 'Date: it was in May.')).toEqual([
      '',
      'Speaker | We bought a pump. Date: it was in May.'
    ])
  })
})
