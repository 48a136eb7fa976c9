import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openSharedLock } from '../../../src/platform/work/shared-lock.ts'

const NEVER = new AbortController().signal

function watched() {
  const lock = openSharedLock()
  const granted: string[] = []
  const ask = (name: string, mode: 'shared' | 'exclusive', signal = NEVER) =>
    lock.acquire(mode, signal).then(held => {
      granted.push(name)
      return held
    })
  return { granted, ask }
}

test('many hold the lock in shared mode, one alone in exclusive mode, in the order of their requests', async () => {
  const { granted, ask } = watched()
  const first = await ask('a', 'shared')
  const second = await ask('b', 'shared')
  const alone = ask('alone', 'exclusive')
  const later = ask('c', 'shared')
  await setImmediate()
  first[Symbol.dispose]()
  await setImmediate()
  expect(granted).toEqual(['a', 'b'])
  second[Symbol.dispose]()
  const held = await alone
  await setImmediate()
  expect(granted).toEqual(['a', 'b', 'alone'])
  held[Symbol.dispose]()
  await later
  expect(granted).toEqual(['a', 'b', 'alone', 'c'])
})

test('a request that is aborted holds up nobody behind it', async () => {
  const { granted, ask } = watched()
  await ask('a', 'shared')
  const abort = new AbortController()
  const alone = ask('alone', 'exclusive', abort.signal)
  const later = ask('b', 'shared')
  abort.abort(new Error('stopped'))
  await expect(alone).rejects.toThrow('stopped')
  await later
  expect(granted).toEqual(['a', 'b'])
  await expect(ask('c', 'shared', abort.signal)).rejects.toThrow('stopped')
})
