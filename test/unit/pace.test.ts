import { expect, test } from 'vitest'
import { atEase } from '../../src/core/pace.ts'

test('a job that yields to requests waits after each piece of work for three times as long', async () => {
  const work = { startedAt: 0, took: 0 }
  const result = await atEase(async () => {
    work.startedAt = performance.now()
    while (work.took < 20) work.took = performance.now() - work.startedAt
    return 'done'
  }, new AbortController().signal)
  expect(result).toBe('done')
  expect(performance.now() - work.startedAt).toBeGreaterThan(3.5 * work.took)
})
