import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { computeTranscriptPostings } from '../../src/search-index/transcript-postings.ts'

/** Words of an unknown language are their own stems, so nothing is looked up. */
const NO_DATABASE = { execute: () => Promise.reject(new Error('Nothing is stemmed here')) as never }

/** Passages of random Chinese characters, which have few words in common. */
function randomPassages(count: number) {
  let random = 7
  const character = () => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648
    return String.fromCharCode(0x4e00 + Math.floor((random / 2_147_483_648) * 20_000))
  }
  return Array.from({ length: count }, () => `Ada: ${Array.from({ length: 800 }, character).join('')}`)
}

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
  let isDone = false
  let turns = 0
  const { user, system } = process.threadCpuUsage()
  const work = computeTranscriptPostings(NO_DATABASE, null, randomPassages(500)).finally(() => {
    isDone = true
  })
  while (!isDone) {
    await setImmediate()
    turns++
  }
  const after = process.threadCpuUsage()
  expect((after.user + after.system - user - system) / 1_000 / turns).toBeLessThan(50)
  const { postings } = await work
  expect(postings.terms.length).toBeGreaterThan(15_000)
})
