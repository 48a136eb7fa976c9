import { expect, test } from 'vitest'
import { openTurns } from '../../../src/platform/db/turns.ts'

/** Callers that note their begin and their end, which `end` brings about. */
function callers(maxWaitMs?: number) {
  const inTurn = openTurns(maxWaitMs)
  const notes: string[] = []
  const call = (name: string, key?: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const result = inTurn(key, async () => {
      notes.push(`${name} begins`)
      await promise
      notes.push(`${name} ends`)
      return name
    })
    result.catch(() => {})
    return { result, end: resolve, fail: () => reject(new Error(`${name} fails`)) }
  }
  return { notes, call }
}

const settled = () => new Promise(done => setImmediate(done))

test('callers with one key run one after another, and others at once', async () => {
  const { notes, call } = callers()
  const [first, second, third] = [call('first', 'a'), call('second', 'a'), call('third', 'a')]
  const others = [call('other', 'b'), call('free'), call('free too')]
  await settled()
  expect(notes).toEqual(['first begins', 'other begins', 'free begins', 'free too begins'])
  first.fail()
  await expect(first.result).rejects.toThrow('first fails')
  await settled()
  expect(notes.at(-1)).toBe('second begins')
  for (const { end } of [second, third, ...others]) end()
  expect(await Promise.all([second, third, ...others].map(({ result }) => result))).toEqual([
    'second',
    'third',
    'other',
    'free',
    'free too'
  ])
  expect(notes.indexOf('third begins')).toBeGreaterThan(notes.indexOf('second ends'))
})

test('a caller that waits for too long is refused, and those after it still wait for those before it', async () => {
  const { notes, call } = callers(20)
  const first = call('first', 'a')
  const late = call('late', 'a')
  await expect(late.result).rejects.toMatchObject({ code: 'pool_full' })
  const next = call('next', 'a')
  await settled()
  expect(notes).toEqual(['first begins'])
  first.end()
  next.end()
  expect(await next.result).toBe('next')
  expect(notes).toEqual(['first begins', 'first ends', 'next begins', 'next ends'])
})
