// @module-tag embedded
import { expect, test } from 'vitest'
import { startNode } from '../support/process.ts'

/** In megabytes. The program itself and its passages take 15; as lists, the postings would take 60. */
const HEAP = 40

test('the postings of a transcript with few words in common take little memory', { timeout: 600_000 }, async () => {
  const { ended } = startNode({}, [`--max-old-space-size=${HEAP}`, 'test/support/dense-transcript.ts'])
  const { code, stdout, stderr } = await ended
  expect([code, stderr.slice(-1_000)]).toEqual([0, ''])
  expect(Number(stdout)).toBeGreaterThan(900_000)
})
