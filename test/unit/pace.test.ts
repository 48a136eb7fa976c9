import { expect, test } from 'vitest'
import { atEase } from '../../src/core/pace.ts'

test('a job that yields to requests waits after each piece of work for three times as long', async () => {
  const [startedAt, work] = [performance.now(), { took: 0 }]
  const result = await atEase(async () => {
    while (work.took < 20) work.took = performance.now() - startedAt
    return 'done'
  }, new AbortController().signal)
  expect(result).toBe('done')
  expect(performance.now() - startedAt).toBeGreaterThan(3.5 * work.took)
})
