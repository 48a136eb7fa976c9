import { expect, test } from 'vitest'
import { lazy } from '../../../src/platform/core/lazy.ts'

test('lazy work is done once, for all who ask for it', async () => {
  let times = 0
  const work = lazy(async () => ++times)
  expect(await Promise.all([work(), work()])).toEqual([1, 1])
  expect(await work()).toBe(1)
  const values = lazy(() => ({ made: ++times }))
  expect(values()).toBe(values())
  expect(times).toBe(2)
})

test('lazy work that failed is done again, whether it throws or rejects', async () => {
  let times = 0
  const failOnce = () => {
    if (++times === 1) throw new Error('failed')
    return times
  }
  const thrown = lazy(failOnce)
  expect(thrown).toThrow('failed')
  expect(thrown()).toBe(2)
  times = 0
  const rejected = lazy(async () => failOnce())
  await expect(Promise.all([rejected(), rejected()])).rejects.toThrow('failed')
  expect(await rejected()).toBe(2)
  expect(await rejected()).toBe(2)
})
