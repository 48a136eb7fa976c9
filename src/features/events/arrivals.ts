import type { EventEmitter } from 'node:events'
import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import type { Arrival, Arrivals, Awaited } from '../../platform/ports/arrivals.ts'

interface Waiter {
  head: number
  awaited: Awaited
  resolve: (arrival: Arrival) => void
}

/** The interval at which events that other processes recorded are noticed. */
const POLL_MS = 1_000

/**
 * A commit of this process ends the waits of its user at once. For the events of other processes one statement a second reads the newest
 * numbers of all users that wait, so an idle client costs a timer and a place in that statement.
 */
export function openArrivals(db: Queryable, commits: EventEmitter): Arrivals {
  const waiting = new Map<string, Set<Waiter>>()
  let polling = false
  let closed = false

  function wake(userId: string, heads: Partial<Record<Awaited, number>>) {
    for (const { head, awaited, resolve } of waiting.get(userId) ?? [])
      if (head < (heads[awaited] ?? head)) resolve('arrived')
  }

  function pollLater() {
    polling = waiting.size > 0
    if (polling) setTimeout(poll, POLL_MS).unref()
  }

  async function poll() {
    const userIds = [...waiting.keys()]
    // While the database is away, requests wait until their time is over. Other code reports the outage.
    const heads = await listHeads(db, userIds).catch(() => [])
    for (const { userId, ...head } of heads) wake(userId, head)
    pollLater()
  }

  const now = Number.POSITIVE_INFINITY
  const onEvents = (userId: string) => wake(userId, { feed: now, all: now })
  const onFailures = (userId: string) => wake(userId, { all: now })

  function add(userId: string, waiter: Waiter) {
    // Commits are listened to while somebody waits, so that many arrivals of one database leave no listeners behind.
    if (waiting.size === 0) commits.on('events', onEvents).on('failures', onFailures)
    const ofUser = waiting.get(userId) ?? new Set()
    waiting.set(userId, ofUser.add(waiter))
  }

  function remove(userId: string, waiter: Waiter) {
    const ofUser = waiting.get(userId)
    ofUser?.delete(waiter)
    if (ofUser?.size === 0) waiting.delete(userId)
    if (waiting.size === 0) commits.off('events', onEvents).off('failures', onFailures)
  }

  return {
    async wait(userId, head, ms, signal, awaited = 'feed') {
      if (closed || signal.aborted) return 'ended'
      const { promise, resolve } = Promise.withResolvers<Arrival>()
      const end = () => resolve('ended')
      const waiter = { head, awaited, resolve }
      add(userId, waiter)
      const timer = setTimeout(resolve, ms, 'elapsed')
      signal.addEventListener('abort', end, { once: true })
      if (!polling) pollLater()
      const arrival = await promise
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      remove(userId, waiter)
      return arrival
    },
    close() {
      closed = true
      for (const ofUser of waiting.values()) for (const { resolve } of ofUser) resolve('ended')
    }
  }
}

async function listHeads(db: Queryable, userIds: string[]) {
  return await db.query<{ userId: string } & Record<Awaited, number>>(sql`
    select user_id as "userId", last_seq as feed, last_seq + webhook_events as "all" from user_counters
    where user_id = any(${sql.param(userIds)}::text[])`)
}
