import { expect, test } from 'vitest'
import { selectExcerpts } from '../../src/search/excerpts.ts'
import { bestStretches } from '../../src/search/stretches.ts'

const LONGEST_NOTES = 50_000
const ZEBRA = { stem: 'zebra', byPassage: 2, bySession: 2 }
const FILLER = 'We looked at the plan once more. '

/** The excerpt of a session about which that is written, and how many words of it were looked up. */
async function excerptOf(written: { summary?: string; notes?: string }) {
  let words = 0
  const item = { id: 'ses_1', title: 'Weekly review', timestamp: null, type: 'meeting' as const }
  const found = { item, language: 'en', summary: null, notes: null, passages: [], ...written }
  const [excerpt] = await selectExcerpts([found], [ZEBRA], () => 1, {
    async find(_, texts) {
      const all = [...texts].flat()
      words += all.length
      return new Map(all.map(word => [word, word]))
    }
  })
  return { snippet: excerpt?.snippet, words }
}

test.each([
  ['at the beginning', 0],
  ['in the middle', 20_000],
  ['at the end', 49_000]
])('the snippet of long notes is the sentence that answers, %s', async (_, at) => {
  const before = FILLER.repeat(Math.floor(at / FILLER.length))
  const notes = `${before}The zebra has stripes. ${FILLER.repeat(1_600)}`.slice(0, LONGEST_NOTES)
  expect((await excerptOf({ notes })).snippet).toContain('The zebra has stripes.')
})

test('of long notes about which nothing is asked, the beginning is shown', async () => {
  const { snippet } = await excerptOf({ notes: FILLER.repeat(1_500) })
  expect(snippet?.startsWith(FILLER.trim())).toBe(true)
})

test.each(['a. ', '! ', '\n', ' \n', '- \n', 'the plan ', 'Dr. ', 'a', 'e\u0301', '漢'])(
  'of notes and a summary of %j over and over again, no more words are read than a page has',
  async piece => {
    const text = piece.repeat(LONGEST_NOTES / piece.length)
    expect((await excerptOf({ notes: text, summary: text })).words).toBeLessThan(10_000)
  }
)

test('a word is found by its stem, also with accents and in upper case', () => {
  const long = `${FILLER.repeat(200)}\nLES ÉTÉS SONT LONGS\n${FILLER.repeat(200)}`
  expect(bestStretches(long, [{ stem: 'été', byPassage: 1, bySession: 1 }])).toContain('LES ÉTÉS SONT LONGS')
})

test('marks of lists and headings go, line by line', async () => {
  const { snippet } = await excerptOf({ notes: '# Animals\n\n  - The *zebra* has stripes.\n2. `It` runs.\n>  Fast.\n#\nEnd' })
  expect(snippet).toBe('The zebra has stripes. It runs. Fast. End Weekly review')
})
