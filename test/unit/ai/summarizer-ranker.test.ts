import { expect, test } from 'vitest'
import { isReadable, listCandidates, pickKeyPoints } from '../../../src/platform/ai/summarizer/key-points.ts'
import { openLanguage } from '../../../src/platform/ai/summarizer/language.ts'
import { FEATURES, openRanker } from '../../../src/platform/ai/summarizer/ranker.ts'
import ranking from '../../../src/platform/ai/summarizer/ranking.json' with { type: 'json' }
import { readSentences } from '../../../src/platform/ai/summarizer/sentences.ts'
import { surveySentences } from '../../../src/platform/ai/summarizer/survey.ts'

const ENGLISH = openLanguage('en')
const NONE = new Set<number>()
const RATING = { mean: 0, deviation: 1, weight: 1 }

/** Lines of "Speaker: words" as sentences. */
function said(...lines: string[]) {
  const segments = lines.map(line => {
    const [speaker = '', text = ''] = line.split(/: (.*)/s)
    return { speaker, start: null, end: null, text }
  })
  return readSentences(segments, ENGLISH)
}

test('the ranking weighs every feature, and says what it was made from', () => {
  expect(Object.keys(ranking.features).sort()).toEqual(Object.keys(FEATURES).sort())
  expect(ranking.madeFrom).toMatchObject({ data: expect.stringContaining('MIT'), by: expect.stringContaining('ops/') })
})

test('a rating is the sum of features in deviations from their mean, and of words', () => {
  const [one] = surveySentences([said('Ada: The kiosk sells maps and the kiosk sells bread.')])
  const rate = openRanker({ features: { terms: { mean: 1, deviation: 2, weight: 3 } }, words: { the: 10, of: 100 } })
  expect(one!.sentence.terms).toEqual(['kiosk', 'sell', 'map', 'kiosk', 'sell', 'bread'])
  expect(rate(one!)).toBe(3 * ((4 - 1) / 2) + 10)
})

test('a sentence is central whose terms many others have, and one without them is not', () => {
  const surveyed = surveySentences([
    said(
      'Ada: The harbour kiosk sells bread in the morning.',
      'Ben: The harbour kiosk sells maps of the island.',
      'Ada: The harbour kiosk needs another window.',
      'Ben: My uncle paints trains and bridges.'
    )
  ])
  const ranks = surveyed.map(({ centrality }) => centrality)
  expect(Math.min(...ranks.slice(0, 3))).toBeGreaterThan(ranks[3]!)
  expect(ranks[3]).toBeCloseTo(0.15)
})

test('a survey knows who takes a term up, what is new, and what is an answer', () => {
  const surveyed = surveySentences([
    said('Ada: The kiosk sells maps.', 'Ada: The maps are cheap.', 'Ben: Who prints maps?', 'Ada: The council prints.')
  ])
  expect(surveyed.map(({ takenUpTerms }) => takenUpTerms)).toEqual([1 / 3, 1 / 2, 1 / 2, 0])
  expect(surveyed.map(({ newTerms }) => newTerms)).toEqual([1, 1 / 2, 1 / 2, 1 / 2])
  expect(surveyed.map(({ isAnswer }) => isAnswer)).toEqual([false, false, false, true])
  expect(surveyed.map(({ beginsTurn }) => beginsTurn)).toEqual([true, false, true, true])
})

test.each([
  'It needs copper pipes in the greenhouse.',
  'If we go to this fashion We still have a lot of buttons.',
  'The design of a for the new greenhouse is late.',
  'The agenda has pipes and greenhouses.'
])('%j cannot be read alone', text => {
  expect(isReadable({ text })).toBe(false)
})

test.each([
  'The greenhouse needs copper pipes because the steel rusts.',
  'Ada and the Council of It-workers like the Orchard.'
])('%j can', text => {
  expect(isReadable({ text })).toBe(true)
})

test('the points are the best rated ones that say different things, and every topic has its chance', () => {
  const lines = Array.from(
    { length: 60 },
    (_, at) => `Ada: The kiosk at pier${at} needs bread${at} and maps${at} today.`
  )
  const [first, second] = [lines.slice(0, 30), lines.slice(30)].map(part => said(...part))
  const topics = [first!, second!.map(sentence => ({ ...sentence, index: sentence.index + 30 }))]
  const place = (weight: number) => openRanker({ features: { place: { ...RATING, weight } }, words: {} })
  const picked = (weight: number) => pickKeyPoints(topics, NONE, ENGLISH, place(weight)).map(({ length }) => length)
  // A little better rated are those of the other topic, then by far.
  expect(Math.min(...picked(0.3))).toBeGreaterThan(0)
  expect(picked(9)[0]).toBe(0)
  const again = [said(...Array.from({ length: 30 }, () => 'Ada: The kiosk at the pier needs bread and maps.'))]
  expect(pickKeyPoints(again, NONE, ENGLISH).flat()).toHaveLength(1)
  expect(listCandidates(again, NONE)).toHaveLength(30)
})
