import { expect, test } from 'vitest'
import { transcriptPostings } from '../../src/search-index/postings.ts'

test('the terms of the first 10,000 passages are indexed, and other work goes on meanwhile', async () => {
  let turns = 0
  const count = () => {
    turns++
    waiting = setImmediate(count)
  }
  let waiting = setImmediate(count)
  const passages = Array.from({ length: 10_001 }, () => 'Ada: Tomatoes.')
  const postings = await transcriptPostings(passages, new Map([['tomatoes', ['tomato']]]))
  clearImmediate(waiting)
  expect(postings.map(({ term, ordinals }) => [term, ordinals.length, ordinals.at(-1)])).toEqual([['tomato', 10_000, 9_999]])
  expect(turns).toBeGreaterThan(100)
})
