import { describe, expect, test } from 'vitest'
import { summarizeOffline } from '../../../src/platform/ai/summarizer/summarize.ts'

// A Wednesday.
const DAY = '2026-03-04'

/** The action items of lines of "Speaker: words", ten seconds each. */
function itemsOf(lines: string[], language = 'en') {
  const segments = lines.map((line, at) => {
    const [speaker = '', text = ''] = line.split(/: (.*)/s)
    return { speaker, start: at * 10, end: at * 10 + 10, text }
  })
  const { actionItems } = summarizeOffline({ title: '', type: 'meeting', segments, language, day: DAY })
  return actionItems.map(({ sources: _, ...item }) => item)
}

test('names the lines of a task, and those that name its object', () => {
  const segments = [
    { speaker: 'Ada', start: 0, end: 4, text: 'Nobody has signed the contract.' },
    { speaker: 'Ben', start: 5, end: 8, text: "Okay, I'll send it" },
    { speaker: 'Ben', start: 8, end: 9, text: 'to them by Friday.' }
  ]
  const { actionItems } = summarizeOffline({ title: '', type: 'meeting', segments, language: 'en', day: DAY })
  expect(actionItems.map(({ text, sources }) => [text, sources?.map(({ segment }) => segment)])).toEqual([
    ['Send the contract to them', [0, 1, 2]]
  ])
})

test('names nobody whose name is not known', () => {
  const segments = [
    { speaker: 'Ada', start: 0, end: 4, text: "I'll send you the contract by Friday." },
    { speaker: 'Speaker', start: 5, end: 6, text: 'Fine.' }
  ]
  const { actionItems } = summarizeOffline({ title: '', type: 'meeting', segments, language: 'en', day: DAY })
  expect(actionItems.map(({ text, dueDate }) => [text, dueDate])).toEqual([['Send the contract', '2026-03-06']])
})

test.each([
  ['de', 'Er sagte mir: Ich schicke dir morgen das Angebot.'],
  ['fr', "Il m'a dit : je vais appeler la banque demain."],
  ['es', 'Me dijo: voy a llamar al banco mañana.']
])('a promise that is quoted is none (%s)', (language, said) => {
  expect(itemsOf([`Ada: ${said}`, 'Ben: Hm.'], language)).toEqual([])
})

describe('a promise', () => {
  test('belongs to who makes it, with its day and the time it was made', () => {
    const items = itemsOf(['Ada: Let us start.', "Bob: Okay so, um, I'll send the offer by Friday.", 'Cy: Good.'])
    expect(items).toEqual([{ text: 'Send the offer', assignee: 'Bob', dueDate: '2026-03-06', sourceStart: 10 }])
  })

  test.each([
    ["I'll send you the notes tomorrow.", 'Send Bob the notes', '2026-03-05'],
    [
      'I will prepare the slides and email them to you by next Tuesday, okay?'.replace(', okay?', '.'),
      'Prepare the slides and email them to Bob',
      '2026-03-10'
    ],
    ["I'm going to update my budget sheet because the numbers changed.", 'Update the budget sheet', null],
    ["I'll prepare the slides, then we can discuss the price.", 'Prepare the slides', null],
    ["I'll prepare the slides then they will call the museum.", 'Prepare the slides', null],
    ["I'll prepare the slides and then call the museum.", 'Prepare the slides and then call the museum', null],
    ["I'll look into the broken printer.", 'Look into the broken printer', null],
    ["Yeah, I'll be putting the minutes into the project folder.", 'Put the minutes into the project folder', null],
    ['I need to contact the landlord about the lease.', 'Contact the landlord about the lease', null],
    ["I'll call the payment provider on March 20.", 'Call the payment provider', '2026-03-20']
  ])('%j is worded as a task', (said, text, dueDate) => {
    expect(itemsOf([`Ada: ${said}`, 'Bob: Fine.'])).toMatchObject([{ text, assignee: 'Ada', dueDate }])
  })
})

describe('a request', () => {
  test('belongs to the one who is named', () => {
    const items = itemsOf([
      'Ada: Carla, could you please update the budget sheet by March 20?',
      'Bob: Hm.',
      'Carla: Let me think.'
    ])
    expect(items).toMatchObject([{ text: 'Update the budget sheet', assignee: 'Carla', dueDate: '2026-03-20' }])
  })

  test('belongs to the one who accepts it', () => {
    const items = itemsOf(['Ada: Can you send me the pricing draft by Monday?', 'Bob: Sure, will do.', 'Carla: Nice.'])
    expect(items).toEqual([
      { text: 'Send Ada the pricing draft', assignee: 'Bob', dueDate: '2026-03-09', sourceStart: 0 }
    ])
  })

  test('that nobody accepts belongs to nobody', () => {
    const items = itemsOf([
      'Ada: Can you send the pricing draft by Monday?',
      'Bob: Let us talk about the weather in this town.',
      'Carla: Nice.'
    ])
    expect(items).toMatchObject([{ assignee: null, dueDate: '2026-03-09' }])
  })

  test('may be said of somebody, also of one who is not there', () => {
    const items = itemsOf([
      'Ada Lovelace: Bob will review the contract.',
      'Bob Stone: Yes.',
      'Ada Lovelace: Dave will prepare the slides by Thursday.'
    ])
    expect(items).toMatchObject([
      { text: 'Review the contract', assignee: 'Bob Stone' },
      { text: 'Prepare the slides', assignee: 'Dave', dueDate: '2026-03-05' }
    ])
  })
})

test('what the group has to do is open to anyone', () => {
  expect(itemsOf(['Ada: We need to book a room for the workshop by Monday.', 'Bob: True.'])).toMatchObject([
    { text: 'Book a room for the workshop', assignee: null, dueDate: '2026-03-09' }
  ])
})

test('spoken labels are understood', () => {
  expect(
    itemsOf(['Ada: Action item: Bob to review the contract.', 'Bob: Fine.', 'Ada: TODO: order new badges.'])
  ).toMatchObject([
    { text: 'Review the contract', assignee: 'Bob' },
    { text: 'Order new badges', assignee: null }
  ])
})

test.each([
  "I'll say it was fun.",
  "I'll tell you what.",
  'I will admit I like the old design.',
  'Let me see the list.',
  "If I had the time I'd send the offer.",
  "If they pay I'll send the offer.",
  'I sent the offer by mail on Monday.',
  'They said I will send the offer.',
  'He told me: I will call you tomorrow.',
  'She wrote: please send the form by Friday.',
  'My boss asked me: can you send the report by Friday?',
  'Marta replied, I will call the bank tomorrow.',
  "I don't think I'll send the offer.",
  'Can you hear me?',
  'Can you tell us why the offer was late?',
  'You have to press the button to start the machine.',
  'Should we send the offer?',
  "I'll give it a two.",
  "I'll share my time with the member for Bristol.",
  "I'll leave it at that.",
  "I'll send the",
  'We should think about it.'
])('%j is none', said => {
  expect(itemsOf([`Ada: ${said}`, 'Bob: Hm.', 'Cy: Hm.'])).toEqual([])
})

test('the same task twice is one, and there are never more than 25', () => {
  expect(
    itemsOf(["Ada: I'll send the offer to the museum.", "Ada: So I'll send the museum the offer by Friday."])
  ).toHaveLength(1)
  const many = Array.from(
    { length: 60 },
    (_, at) => `Ada: I'll review chapter${at} of volume${at} written by author${at}.`
  )
  expect(itemsOf(many)).toHaveLength(25)
})

test('a source without times has none', () => {
  const segments = [{ speaker: 'Ada', start: null, end: null, text: "I'll send the offer by Friday." }]
  const { actionItems } = summarizeOffline({ title: '', type: 'import', segments, language: 'en', day: DAY })
  expect(actionItems).toMatchObject([{ text: 'Send the offer', sourceStart: null }])
})

describe('in another language', () => {
  test.each([
    ['de', 'Kannst du bitte das Angebot bis Freitag prüfen?', 'Klar, mache ich.', 'Ben', '2026-03-06'],
    ['de', 'Ich schicke dir morgen die Unterlagen.', 'Danke.', 'Ada', '2026-03-05'],
    ['de', 'Ich werde die Einladung bis zum 20. März schreiben.', 'Gut.', 'Ada', '2026-03-20'],
    ['fr', 'Pouvez-vous préparer une nouvelle estimation avant vendredi?', 'Oui, bien sûr.', 'Ben', '2026-03-06'],
    ['fr', 'Je vais envoyer le contrat au prestataire demain.', 'Merci.', 'Ada', '2026-03-05'],
    ['es', '¿Puedes enviar el contrato antes del viernes?', 'Sí, claro.', 'Ben', '2026-03-06'],
    ['es', 'Voy a preparar la presentación para el lunes.', 'Gracias.', 'Ada', '2026-03-09']
  ])(
    '%s: the promise or request %j is an item as it was said, because it names a day',
    (language, said, reply, assignee, dueDate) => {
      expect(itemsOf([`Ada: ${said}`, `Ben: ${reply}`], language)).toEqual([
        { text: said, assignee, dueDate, sourceStart: 0 }
      ])
    }
  )

  test.each([
    ['de', 'Ich werde die Einladung an die Gäste schreiben.'],
    ['de', 'Die Messe beginnt am Freitag mit einer Lesung.'],
    ['de', 'Guten Morgen, ich werde mich kurz vorstellen.'],
    ['fr', 'Je vais envoyer le contrat au prestataire après-demain.'],
    ['es', 'Voy a preparar la presentación por la mañana.'],
    ['es', '¿Puedes enviar el contrato el lunes o el viernes?']
  ])('%s: %j is none without a promise or request, or without exactly one day to come', (language, said) => {
    expect(itemsOf([`Ada: ${said}`, 'Ben: Hm.'], language)).toEqual([])
  })
})
