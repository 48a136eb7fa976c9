import { expect, test } from 'vitest'
import { computeTranscriptPostings } from '../../../src/features/library/index/transcript-postings.ts'
import { chineseDrawer } from '../../support/drawn.ts'
import { processorMsPerTurn } from '../../support/processor-time.ts'

/** Words of an unknown language are their own stems, so nothing is looked up. */
const NO_DATABASE = { execute: () => Promise.reject(new Error('Nothing is stemmed here')) as never }

test('the terms of the first 10,000 passages are indexed, in the order of the terms', async () => {
  const passages = [...Array.from({ length: 10_000 }, () => 'Ben: Tomatoes.'), 'Ada: Zebras.']
  const { passages: count, postings } = await computeTranscriptPostings(NO_DATABASE, null, passages)
  expect(count).toBe(10_001)
  expect(postings.terms).toEqual(['ben', 'tomatoes'])
  const read = [...postings.read()]
  expect(read.map(({ term, ordinals }) => [term, ordinals.length, ordinals.at(-1)])).toEqual([
    ['ben', 10_000, 9_999],
    ['tomatoes', 10_000, 9_999]
  ])
})

test('a term has its weight in each passage, and the sum of the three largest', async () => {
  const passages = ['one two two', 'three', 'two', 'two two two two', 'two one three']
  const { postings } = await computeTranscriptPostings(NO_DATABASE, null, passages)
  expect([...postings.read()]).toEqual([
    { term: 'one', ordinals: [0, 4], weights: [1.6653, 1.6653], most: 3.3306 },
    { term: 'three', ordinals: [1, 4], weights: [1.6832, 1.6653], most: 3.3485 },
    { term: 'two', ordinals: [0, 2, 3, 4], weights: [1.8957, 1.6832, 2.0332, 1.6653], most: 5.6121 }
  ])
})

test('other work goes on while the terms of a long transcript are counted, on average at least every 50 ms', async () => {
  const draw = chineseDrawer(7)
  const passages = Array.from({ length: 500 }, () => `Ada: ${draw(800)}`)
  const count = () => computeTranscriptPostings(NO_DATABASE, null, passages)
  const { result, msPerTurn } = await processorMsPerTurn(count)
  expect(result.postings.terms.length).toBeGreaterThan(15_000)
  expect(msPerTurn).toBeLessThan(50)
})
