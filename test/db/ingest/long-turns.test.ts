// @module-tag both

import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openAttempts } from '../../../src/features/library/open-attempts.ts'
import { chineseDrawer } from '../../support/drawn.ts'
import { addPlainUser } from '../../support/plain-user.ts'
import { emptyDatabase, openPlace, until } from '../../support/process.ts'
import { acceptSession, clock } from '../../support/server.ts'

const { signal } = new AbortController()

/** Segments of as many random characters, which the database cannot compress. */
const spoken = (characters: number) => [{ speaker: 'Ada', text: chineseDrawer(7)(characters) }]

test('long transcripts are processed one at a time, and a short one beside them', async () => {
  const { db } = await openPlace(await emptyDatabase(), { poolSize: 4 })
  await addPlainUser(db, 'u', { createdAt: clock.now() })
  const [first, second, short] = [
    await acceptSession('u', { segments: spoken(150_000) }, db),
    await acceptSession('u', { segments: spoken(160_000) }, db),
    await acceptSession('u', { segments: spoken(1_000) }, db)
  ]
  const attempts = openAttempts(db)
  const steps: string[] = []
  const finish = Promise.withResolvers<void>()
  const attempt = (name: string, session: string, done: Promise<unknown>) =>
    attempts.attempt('u', session, {
      state: 'processing',
      signal,
      run: async () => {
        steps.push(`${name} begins`)
        await done
        steps.push(`${name} ends`)
      },
      giveUp: () => Promise.reject(new Error('Nothing has died'))
    })
  const one = attempt('first', first, finish.promise)
  await until('the first begins', () => steps.length > 0)
  const two = attempt('second', second, wait(0))
  await attempt('short', short, wait(500))
  expect(steps).toEqual(['first begins', 'short begins', 'short ends'])
  finish.resolve()
  await Promise.all([one, two])
  expect(steps.slice(3)).toEqual(['first ends', 'second begins', 'second ends'])
})
