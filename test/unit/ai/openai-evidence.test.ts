import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { namesOf, openEvidence } from '../../../src/platform/ai/openai/evidence.ts'
import { numbersOf } from '../../../src/platform/text/spoken-numbers.ts'
import { type AiServer, completion, startAiServer } from '../../support/ai-server.ts'
import { conversation, minutes, said } from '../../support/minutes.ts'
import { providerAi } from '../../support/provider.ts'

const ENGLISH = { spoken: 'en', written: 'en' }
const warehouse = said(
  ['Ada', 'Welcome to the review of the warehouse in Porto.'],
  ['Ben', 'The rent is four thousand two hundred euros a month, and Cleo asked for 12 percent more.'],
  ['Ada', 'So we close it by March 15th, and the team at OpenGate moves to Faro.'],
  ['Ben', "I'll tell the landlord on Friday, and the L C D screen of 3 by 4 stays."]
)
const supports = openEvidence(warehouse)(ENGLISH).supports

describe('a statement is supported', () => {
  test.each([
    ['The warehouse in Porto is closed by March 15.', [2]],
    ['Cleo asked for 12 % more rent.', [1]],
    ['The rent is 4,200 euros a month.', [1]],
    ['The rent is 4.2k euros a month.', [1]],
    ['OpenGate moves to Faro.', [2]],
    ['Send the letter to the landlord on Friday.', [3]],
    ['The client was told of one problem.', [3]],
    ["Ada's team will move.", [0]],
    ['The LCD stays.', [3]],
    ['Finally, Ada closes the warehouse.', [2]],
    ['Participants agreed.', [0]]
  ])('%s', (text, lines) => {
    expect(supports(text, lines)).toBe(true)
  })
})

describe('a statement is not supported', () => {
  test.each([
    ['without a line', 'The warehouse is closed.', []],
    ['with an invented name in a sentence', 'The landlord told Nadia on Friday.', [3]],
    ['with an invented name at its beginning', 'Zorblax will close the warehouse.', [2]],
    ['with an invented name of two words', 'Nadia Novak closes the warehouse.', [2]],
    ['with another number', 'The rent is 4,300 euros a month.', [1]],
    ['with another number as a word', 'The rent is five thousand euros a month.', [1]],
    ['with another day', 'The landlord is told on Monday.', [3]],
    ['with letters that nobody spelled', 'The LED stays.', [3]],
    ['with another part of a number', 'The rent is 42 euros.', [1]]
  ])('%s: %s', (_, text, lines) => {
    expect(supports(text, lines)).toBe(false)
  })

  test('by lines far from where a name was said, and by those of another speaker', () => {
    const talk = said(
      ['Ada', 'Cleo is here.'],
      ...Array.from({ length: 30 }, () => ['Ben', 'Yes.'] as [string, string])
    )
    const { supports } = openEvidence(talk)(ENGLISH)
    expect([2, 25].map(line => supports('The offer of Cleo is good.', [line]))).toEqual([true, false])
    expect([2, 25].map(line => supports('The offer is good.', [line], 'Ada'))).toEqual([true, false])
  })
})

test.each([
  ['pl', 'Oferta jest dla Anny i Krakowa.', [['Ada', 'Mam ofertę dla Anna z Krakowie.']], true],
  ['pl', 'Oferta jest dla Zofii.', [['Ada', 'Mam ofertę dla Anna.']], false],
  ['de', 'Die Miete steigt um fünf Prozent.', [['Ada', 'Sie steigt um fünf Prozent.']], true],
  ['de', 'Die Miete steigt um 5 Prozent.', [['Ada', 'Sie steigt um fünf Prozent.']], true],
  ['de', 'Die Miete steigt um 50 Prozent.', [['Ada', 'Sie steigt um 40 Prozent.']], false],
  ['ja', 'Adaは12月に行く。', [['Ada', '十二月に行きます。12月です。']], true],
  ['ja', '13日に行く。', [['Ada', '14日に行きます。']], false]
] as [string, string, [string, string][], boolean][])(
  'in %s, "%s" is checked by the rules of its language',
  (language, text, lines, isSupported) => {
    const { supports } = openEvidence(said(...lines))({ spoken: language, written: language })
    expect(supports(text, [0])).toBe(isSupported)
  }
)

test('a name in another script than the speech is not checked, but its numbers are', () => {
  const { supports } = openEvidence(said(['アダ', '予算は40万円です。']))({ spoken: 'ja', written: 'en' })
  expect([supports('The offer of Ada is 40.', [0]), supports('The offer of Ada is 50.', [0])]).toEqual([true, false])
})

test.each([
  ['Send it to Nadia on Monday. The API of OpenAI is new.', ['Nadia', 'Monday', 'API', 'OpenAI']],
  ['Budget for “Nadia”: Ben pays. Lee Roe agreed.', ['Nadia', 'Ben', 'Lee', 'Roe']],
  ['They said I pay.', []]
])('the names in "%s" are %j', (text, names) => {
  expect(namesOf(text, 'en')).toEqual(names)
})

test.each([
  ['4,000 and 1.5', [[4000, 4], [1.5]]],
  ['1.234.567', [[1234567]]],
  ['on 10.5.2026 at 10:30', [[10], [5], [2026], [10], [30]]],
  ['four thousand, two hundred and fifty', [[4250]]],
  ['twenty twenty six', [[20, 26, 2026]]],
  [
    '2.5 million, 4k',
    [
      [2.5, 2500000],
      [4, 4000]
    ]
  ],
  ['a dozen, one of them, twenty-five', [[12], [25]]],
  ['３ and ٤٥', [[3], [45]]]
])('the numbers in "%s" are %j', (text, numbers) => {
  expect(numbersOf(text)).toEqual(numbers)
})

describe('a provider that lies', () => {
  let server: AiServer
  beforeEach(async () => {
    server = await startAiServer()
  })
  afterEach(() => server.close())

  const lines = Array.from({ length: 120 }, (_, at) =>
    at % 2
      ? ['Ben', `I think that point ${at} is about the rent of the warehouse.`]
      : ['Ada', 'We keep the offer for Cleo.']
  ) as [string, string][]
  /** A hundred claims: invented names, numbers, lines and speakers in turn. */
  const LIES = Array.from({ length: 100 }, (_, at) => {
    const line = at + 5
    const claim = { lines: [line], speaker: null as string | null, text: `The rent of the warehouse is point ${at}.` }
    if (at % 5 === 0)
      return { ...claim, text: `The offer goes to Zorb${'abcdefghij'[at % 7]}lax of case ${'x'.repeat(at + 1)}.` }
    if (at % 5 === 1) return { ...claim, text: `The rent is ${7_000 + at} euros for ${'x'.repeat(at + 1)}.` }
    if (at % 5 === 2) return { ...claim, lines: [line, 500 + at], text: `The offer stays for ${'x'.repeat(at + 1)}.` }
    if (at % 5 === 3)
      return { ...claim, speaker: `Nadia ${'x'.repeat(at + 1)}`, text: `The offer stays at ${'x'.repeat(at + 1)}.` }
    return { ...claim, lines: [], text: `The offer is kept at ${'x'.repeat(at + 1)}.` }
  })

  test('has 100 of 100 invented names, numbers, lines and speakers marked, and none of them left out', async () => {
    const answer = {
      points: LIES.slice(0, 45).map(lie => ({ ...lie, topic: null })),
      decisions: LIES.slice(45, 70).map(lie => ({ ...lie, status: 'agreed' })),
      questions: LIES.slice(70, 80),
      action_items: LIES.slice(80).map(({ speaker, ...lie }) => ({
        ...lie,
        ...(speaker !== null && { text: `${lie.text} says ${speaker}` }),
        kind: 'promised',
        assignee: 'Nadia',
        due_date: null
      }))
    }
    server.script('chat', completion(minutes({ ...answer, overview: 'Nadia and Igor spent 900 euros.' })))
    const { outline, actionItems } = await providerAi(server.url).summarize(conversation(said(...lines)))
    const { sections, decisions, questions, overview } = outline!
    const claims = [...sections.flatMap(({ points }) => points), ...decisions, ...questions, ...actionItems]
    expect(claims.map(({ text }) => text)).toEqual(
      expect.arrayContaining([...LIES.slice(0, 80)].map(({ text }) => text))
    )
    expect(claims).toHaveLength(100)
    expect(claims.filter(({ unsupported }) => unsupported)).toHaveLength(100)
    expect(overview).toMatchObject({ unsupported: true })
    expect(actionItems.map(({ assignee }) => assignee)).toEqual(Array(20).fill(null))
    for (const { sources = [] } of claims) for (const { segment } of sources) expect(lines[segment]).toBeDefined()
  })

  test('and then tells the truth has none of that marked', async () => {
    const truths = Array.from({ length: 50 }, (_, at) => {
      const line = 2 * at + 1
      return { lines: [line], speaker: 'Ben', topic: null, text: `Point ${line} is about the rent of the warehouse.` }
    })
    const kept = { lines: [2], speaker: 'Ada', status: 'agreed', text: 'Ada and Ben keep the offer for Cleo.' }
    server.script(
      'chat',
      completion(minutes({ points: truths, decisions: [kept], overview: 'Ada keeps the offer for Cleo.' }))
    )
    const { outline } = await providerAi(server.url).summarize(conversation(said(...lines)))
    expect(outline!.sections[0]!.points).toHaveLength(50)
    expect(JSON.stringify(outline)).not.toContain('unsupported')
  })
})
