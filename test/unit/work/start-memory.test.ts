import { expect, test } from 'vitest'
import { releaseStartMemory } from '../../../src/platform/work/start-memory.ts'

const MB = 1e6

/** Grows the heap by what is garbage when this returns. */
function makeGarbage() {
  const made = Array.from({ length: 1_000_000 }, (_, n) => ({ n, text: `${n}` }))
  return made.length
}

test('the space of what a start has left behind goes back to the system', () => {
  expect(makeGarbage()).toBe(1_000_000)
  const { heapTotal: grown } = process.memoryUsage()
  releaseStartMemory()
  expect(process.memoryUsage().heapTotal).toBeLessThan(grown - 30 * MB)
  expect(globalThis.gc).toBeUndefined()
})
