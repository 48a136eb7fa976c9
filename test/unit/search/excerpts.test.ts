import { expect, test } from 'vitest'
import { bestParts, selectExcerpts } from '../../../src/features/search/excerpts.ts'

const LONGEST_NOTES = 50_000
const ZEBRA = { term: 'zebra', byPassage: 2, bySession: 2 }
const FILLER = 'We looked at the plan once more. '

async function snippetOf(written: { summary?: string; notes?: string }) {
  const item = { id: 'ses_1', title: 'Weekly review', timestamp: null, type: 'meeting' as const, phone: null }
  const found = { ...item, summary: null, notes: null, best: null, ...written }
  const [excerpt] = await selectExcerpts([found], [ZEBRA], [])
  return excerpt?.snippet
}

test.each([
  ['at the beginning', 0],
  ['in the middle', 20_000],
  ['at the end', 49_000]
])('the snippet of long notes is the sentence that answers, %s', async (_, at) => {
  const before = FILLER.repeat(Math.floor(at / FILLER.length))
  const notes = `${before}The zebra has stripes. ${FILLER.repeat(1_600)}`.slice(0, LONGEST_NOTES)
  expect(await snippetOf({ notes })).toContain('The zebra has stripes.')
})

test('of long notes without a word of the query, the beginning is shown', async () => {
  const snippet = await snippetOf({ notes: FILLER.repeat(1_500) })
  expect(snippet?.startsWith(FILLER.trim())).toBe(true)
})

test.each(['a. ', '! ', '\n', ' \n', '- \n', 'the plan ', 'Dr. ', 'a', 'e\u0301', '漢', '\u{1f345}'])(
  'of notes of %j over and over again, no more than a page is read',
  async piece => {
    const notes = piece.repeat(LONGEST_NOTES / piece.length)
    expect(bestParts(notes, [ZEBRA]).length).toBeLessThanOrEqual(8_004)
    expect([...((await snippetOf({ notes, summary: notes })) ?? '')].length).toBeLessThanOrEqual(300)
  }
)

test('the parts of long notes end with a line, else with a sentence, else with a word', () => {
  const endOf = (text: string) => bestParts(text.repeat(200), [ZEBRA]).split('\n').filter(Boolean).at(0)?.slice(-9)
  expect(endOf('First line here\nand the next. One ')).toBe('line here')
  expect(endOf('We met. And we talked of it ')).toBe(' We met. ')
  expect(endOf('and the horse ')).toMatch(/(and|the|horse) $/)
})

test('a word is found by its stem, also with accents and in upper case', () => {
  const long = `${FILLER.repeat(200)}\nLES ÉTÉS SONT LONGS\n${FILLER.repeat(200)}`
  expect(bestParts(long, [{ term: 'ete', byPassage: 1, bySession: 1 }])).toContain('LES ÉTÉS SONT LONGS')
})

test.each([
  ['compani', 'The company grew.'],
  ['grow', 'The company was growing.'],
  ['price', 'Then came pricing.'],
  ['ski', 'They ski.']
])('a sentence has the term %s where a word begins so', async (term, sentence) => {
  const item = { id: 'ses_1', title: 'Weekly review', timestamp: null, type: 'meeting' as const, phone: null }
  const best = [{ start: null, end: null, text: `Ada: ${FILLER.repeat(20)}${sentence}`, score: 1 }]
  const found = { ...item, summary: null, notes: null, best }
  const [excerpt] = await selectExcerpts([found], [{ term, byPassage: 2, bySession: 2 }], [])
  expect(excerpt?.snippet).toBe(`Ada: ${sentence}`)
})

test('marks of lists and headings go, line by line', async () => {
  const snippet = await snippetOf({
    notes: '# Animals\n\n  - The *zebra* has stripes.\n2. `It` runs.\n>  Fast.\n#\nEnd'
  })
  expect(snippet).toBe('The zebra has stripes. It runs. Fast. End Weekly review')
})

test('marks of emphasis and escapes go, and what only looks like them stays', async () => {
  const notes = 'The _zebra_ has \\[two\\] __stripes__ in zebra_count and C:\\zebra, \\*once\\*.'
  expect(await snippetOf({ notes })).toBe(
    'The zebra has [two] stripes in zebra_count and C:\\zebra, *once*. Weekly review'
  )
})
