import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openAttempts } from '../../src/sessions/open-attempts.ts'
import { addPlainUser } from '../support/plain-user.ts'
import { migratedDatabase, openPlace } from '../support/process.ts'
import { acceptSession, clock } from '../support/server.ts'

const { signal } = new AbortController()

/** Segments of as many random characters, which the database cannot compress. */
function spoken(characters: number) {
  let random = 7
  const character = () => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648
    return String.fromCharCode(0x4e00 + Math.floor((random / 2_147_483_648) * 20_000))
  }
  return [{ speaker: 'Ada', text: Array.from({ length: characters }, character).join('') }]
}

test('long transcripts are processed one at a time, and a short one beside them', async () => {
  const { db } = await openPlace(await migratedDatabase(), { poolSize: 4 })
  await addPlainUser(db, 'u', { createdAt: clock.now() })
  const [first, second, short] = [
    await acceptSession('u', { segments: spoken(150_000) }, db),
    await acceptSession('u', { segments: spoken(160_000) }, db),
    await acceptSession('u', { segments: spoken(1_000) }, db)
  ]
  const attempts = openAttempts(db)
  const steps: string[] = []
  const finish = Promise.withResolvers<void>()
  const attempt = (name: string, session: string, until: Promise<unknown>) =>
    attempts.attempt('u', session, {
      state: 'processing',
      signal,
      run: async () => {
        steps.push(`${name} begins`)
        await until
        steps.push(`${name} ends`)
      },
      giveUp: () => Promise.reject(new Error('Nothing has died'))
    })
  const one = attempt('first', first, finish.promise)
  await expect.poll(() => steps).toEqual(['first begins'])
  const two = attempt('second', second, wait(0))
  await attempt('short', short, wait(500))
  expect(steps).toEqual(['first begins', 'short begins', 'short ends'])
  finish.resolve()
  await Promise.all([one, two])
  expect(steps.slice(3)).toEqual(['first ends', 'second begins', 'second ends'])
})
