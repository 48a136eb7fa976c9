import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { detached } from '../../../src/features/ingest/detached.ts'

test('a request that breaks off before its bytes are read is an error of their reader, and none of the process', async () => {
  const uncaught: Error[] = []
  const keep = (error: Error) => uncaught.push(error)
  process.prependListener('uncaughtException', keep)
  try {
    const request = new PassThrough()
    const bytes = detached(request)
    request.destroy(new Error('cut off'))
    await setImmediate()
    await setImmediate()
    await expect(bytes.toArray()).rejects.toThrow('cut off')
  } finally {
    process.off('uncaughtException', keep)
  }
  expect(uncaught).toEqual([])
})

test('the rest of a request whose bytes are not wanted is read and discarded', async () => {
  const request = new PassThrough()
  const bytes = detached(request)
  bytes.destroy()
  await setImmediate()
  request.end(Buffer.alloc(1_000_000))
  await expect.poll(() => request.readableEnded, { timeout: 60_000 }).toBe(true)
})
