import type { EventEmitter } from 'node:events'
import { sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'

/** Lets requests wait for the next event of their user. */
export interface Arrivals {
  /** Resolves when the user has an event after `seq`, after `ms`, when the signal aborts, or once it is closed. */
  wait(userId: string, seq: number, ms: number, signal: AbortSignal): Promise<void>
  /** Ends every wait, those to come too, so that a server can stop. */
  close(): void
}

interface Waiter {
  seq: number
  resolve: () => void
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

  function wake(userId: string, newest = Number.POSITIVE_INFINITY) {
    for (const waiter of waiting.get(userId) ?? []) if (waiter.seq < newest) waiter.resolve()
  }

  function pollLater() {
    polling = waiting.size > 0
    if (polling) setTimeout(poll, POLL_MS).unref()
  }

  async function poll() {
    const userIds = [...waiting.keys()]
    // While the database is away, requests wait until their time is over. Other code reports the outage.
    const heads = await listHeads(db, userIds).catch(() => [])
    for (const { userId, seq } of heads) wake(userId, seq)
    pollLater()
  }

  commits.on('events', (userId: string) => wake(userId))
  return {
    async wait(userId, seq, ms, signal) {
      if (closed || signal.aborted) return
      const { promise, resolve: end } = Promise.withResolvers<void>()
      const resolve = () => end()
      const waiter = { seq, resolve }
      const ofUser = waiting.get(userId) ?? new Set()
      waiting.set(userId, ofUser.add(waiter))
      const timer = setTimeout(resolve, ms)
      signal.addEventListener('abort', resolve, { once: true })
      if (!polling) pollLater()
      await promise
      clearTimeout(timer)
      signal.removeEventListener('abort', resolve)
      ofUser.delete(waiter)
      if (ofUser.size === 0 && waiting.get(userId) === ofUser) waiting.delete(userId)
    },
    close() {
      closed = true
      for (const ofUser of waiting.values()) for (const { resolve } of ofUser) resolve()
    }
  }
}

async function listHeads(db: Queryable, userIds: string[]) {
  return await db.query<{ userId: string; seq: number }>(sql`
    select user_id as "userId", last_seq as seq from user_counters where user_id = any(${sql.param(userIds)}::text[])`)
}
