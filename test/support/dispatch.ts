import { expect, onTestFinished } from 'vitest'
import { openAdmissions } from '../../src/features/access/admission.ts'
import type { WebhookSettings } from '../../src/features/webhooks/address.ts'
import { openDispatcher } from '../../src/features/webhooks/delivery/dispatcher.ts'
import { emptyDatabase, openPlace } from './process.ts'
import { startReceiver } from './receiver.ts'
import { buildTestApp, newUserOf, testSender } from './server.ts'

const UNSETTLED = `select 1 from webhook_deliveries where claim_id is not null
  union all select 1 from webhook_queue where next_due <= $1`

/**
 * Opens a database of the test's own, with an application, a dispatcher and a clock that stands still until it is put forward. So on a
 * busy machine no retry comes due by itself. The clock is ahead of the database's, which dates events, for longer than a test takes: each
 * new delivery is due at once. Receivers accept signatures that are up to five minutes ahead.
 */
export async function dispatching({
  settings = {},
  start = true,
  attemptMs
}: {
  settings?: Partial<WebhookSettings>
  start?: boolean
  /** The timeout of an attempt in place of that of a server. */
  attemptMs?: number
} = {}) {
  const place = await emptyDatabase()
  const opened = await openPlace(place, { poolSize: 8 })
  const { db } = opened
  let now = Date.now() + 4 * MINUTE
  const clock = { now: () => new Date(now) }
  const faults: Error[] = []

  /** Starts another dispatcher, as another process would. */
  function startDispatcher() {
    const sender = testSender(settings, clock)
    const dispatcher = openDispatcher({
      db: opened.slow,
      isDistributed: db.isDistributed,
      commits: opened.commits,
      clock,
      sender: { ...sender, send: (request, ms, signal) => sender.send(request, attemptMs ?? ms, signal) },
      onError: fault => faults.push(fault)
    })
    const stop = async () => {
      await dispatcher.stop()
      await sender.close()
    }
    onTestFinished(stop)
    return { ...dispatcher, stop }
  }

  const admissions = openAdmissions(opened.db, clock, { perMinute: 1_000_000, perDay: 10_000_000 })
  const app = await buildTestApp({ db, clock, admissions, sender: testSender(settings, clock) })
  const dispatcher = start ? startDispatcher() : undefined

  const query = async (text: string, values: unknown[] = []) =>
    (await opened.pool.query(text, values)).rows as Record<string, unknown>[]

  return {
    place,
    opened,
    db,
    app,
    clock,
    faults,
    startDispatcher,
    newUser: () => newUserOf({ db, app }),
    /**
     * Puts the clock forward and wakes the dispatcher, once nothing is due or in flight. An attempt that is recorded afterwards would pause its
     * endpoint from then on, and nothing would come due while the clock stands still.
     */
    async pass(ms: number) {
      await expect.poll(() => query(UNSETTLED, [clock.now()]), { timeout: 300_000, interval: 20 }).toEqual([])
      now += ms
      dispatcher?.wake()
    },
    query
  }
}

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const ALL_EVENTS = ['session.completed', 'session.updated', 'session.deleted', 'session.action_items.updated']

type User = Awaited<ReturnType<typeof newUserOf>>

/** Adds a webhook of the user. Returns it with its secret. */
export async function hookOf(user: User, url: string, events = ALL_EVENTS, headers = {}) {
  const { status, body } = await user.post('/v1/webhooks', { url, events, headers })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body as { id: string; secret: string }
}

/** Returns the current state of a webhook. */
export async function hookNow(user: User, id: string) {
  const { body } = await user.get('/v1/webhooks')
  return body.webhooks.find((hook: { id: string }) => hook.id === id)
}

/** Makes a delivery that a dead process has claimed, with its lease over. Nothing delivers until a dispatcher is started. */
export async function claimedByDead() {
  const context = await dispatching({ start: false })
  const user = await context.newUser()
  const receiver = await startReceiver()
  const { id } = await hookOf(user, receiver.url)
  await user.session()
  await context.query(
    "update webhook_deliveries set claim_id = 'dead', attempt = 1, lease_until = now() - interval '1 minute'"
  )
  await context.query('update webhook_queue set next_due = null')
  return { ...context, user, receiver, id }
}
