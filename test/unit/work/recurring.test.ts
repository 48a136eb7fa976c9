import { expect, test } from 'vitest'
import { openRecurring } from '../../../src/platform/work/recurring.ts'

const UNREACHED_MS = 3_600_000

test('work that is woken while it runs runs once more, which stopping waits for', async () => {
  let runs = 0
  const recurring = openRecurring(
    async () => {
      runs++
      await Promise.resolve()
    },
    UNREACHED_MS,
    () => {}
  )
  await Promise.resolve()
  recurring.wake()
  recurring.wake()
  await recurring.stop()
  expect(runs).toBe(2)
})

test('work that is woken after it was stopped does not run', async () => {
  let runs = 0
  const recurring = openRecurring(
    async () => void runs++,
    UNREACHED_MS,
    () => {}
  )
  await recurring.stop()
  recurring.wake()
  await recurring.stop()
  expect(runs).toBe(1)
})

test('an error of the work is reported, and the next run takes place', async () => {
  const errors: string[] = []
  let runs = 0
  const recurring = openRecurring(
    async () => {
      if (++runs === 1) throw new Error('the disk is away')
    },
    UNREACHED_MS,
    ({ message }) => void errors.push(message)
  )
  recurring.wake()
  await Promise.resolve()
  recurring.wake()
  await recurring.stop()
  expect({ runs, errors }).toEqual({ runs: 2, errors: ['the disk is away'] })
})
