import { expect, test } from 'vitest'
import { computeTranscriptPostings } from '../../src/search-index/index-session.ts'

/** Words of an unknown language are their own stems, so nothing is looked up. */
const NO_DATABASE = { execute: () => Promise.reject(new Error('Nothing is stemmed here')) as never }

test('the terms of the first 10,000 passages are indexed, and other work goes on meanwhile', async () => {
  let turns = 0
  const count = () => {
    turns++
    waiting = setImmediate(count)
  }
  let waiting = setImmediate(count)
  const passages = Array.from({ length: 10_001 }, () => 'Ada: Tomatoes.')
  const { postings } = await computeTranscriptPostings(NO_DATABASE, null, passages)
  clearImmediate(waiting)
  expect(postings.map(({ term, ordinals }) => [term, ordinals.length, ordinals.at(-1)])).toEqual([
    ['ada', 10_000, 9_999],
    ['tomatoes', 10_000, 9_999]
  ])
  expect(turns).toBeGreaterThan(100)
})
