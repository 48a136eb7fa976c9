import type { Scope } from '../contract/scopes.ts'
import type { Caller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import type { Reader } from '../db/open.ts'
import { hashToken } from './token.ts'

export interface RateLimits {
  perMinute: number
  perDay: number
}

/** Where a caller stands: the window nearer to its end, or on a refusal the one that is used up. */
export interface Quota {
  allowed: boolean
  limit: number
  remaining: number
  /** Epoch seconds. */
  resetAt: number
}

export interface Admission {
  caller: Caller
  quota: Quota
}

export interface Admissions {
  /** Authenticates and counts one request. Undefined for a token that is unknown, expired or revoked. */
  admit(token: string): Promise<Admission | undefined>
  /** Saves the counts of the day and stops. */
  stop(): Promise<void>
}

/** What the token had used up before this batch, in the newest window that any process has opened. */
const MINUTE_SPENT = '(case when r.minute >= excluded.minute then r.minute_count else 0 end)'
const DAY_SPENT = '(case when r.day >= excluded.day then r.day_count else 0 end)'
const ADMITTED = `greatest(0, least(excluded.admitted, $3 - ${MINUTE_SPENT}, $4 - ${DAY_SPENT}))`

/**
 * Authentication and the limiter in one round trip, for all requests that arrive while the last one was under way.
 * The row lock of a token's counter makes the limit exact over any number of processes, and what the statement reads of
 * the token is never older than the request. `admitted` is clamped, so a refused request uses nothing up.
 */
const ADMIT = {
  name: 'admit',
  text: `
    with asked as (
      select hash, n from unnest((select $1::bytea[]), (select $2::int[])) as a(hash, n)
    ), known as (
      select a.hash, a.n, t.user_id, t.token_id, t.scopes
      from asked a
      join token_owners o on o.hash = a.hash
      join tokens t on t.user_id = o.user_id and t.token_id = o.token_id
      where t.revoked_at is null and t.expires_at > $5::timestamptz
    ), fresh as (
      select k.token_id, coalesce(d.day_count, 0) as spent, least(k.n, $3::int, greatest(0, $4::int - coalesce(d.day_count, 0))) as n
      from known k
      left join rate_days d on d.token_id = k.token_id and d.day = (now() at time zone 'UTC')::date
    ), counted as (
      insert into rate_counters as r (token_id, minute, minute_count, day, day_count, admitted)
      select token_id, date_trunc('minute', now()), n, (now() at time zone 'UTC')::date, spent + n, n
      from fresh order by token_id
      on conflict (token_id) do update set
        minute = greatest(r.minute, excluded.minute),
        day = greatest(r.day, excluded.day),
        minute_count = ${MINUTE_SPENT} + ${ADMITTED},
        day_count = ${DAY_SPENT} + ${ADMITTED},
        admitted = ${ADMITTED}
      returning token_id, extract(epoch from minute)::float8 as minute, minute_count, extract(epoch from day)::float8 as day, day_count, admitted
    )
    select k.hash, k.user_id, k.token_id, k.scopes, c.minute, c.minute_count, c.day, c.day_count, c.admitted
    from known k join counted c on c.token_id = k.token_id`
}

type Row = [Buffer, string, string, Scope[], number, number, number, number, number]

/** Keeps the day's counts where a crash of the database does not empty them. */
const SAVE_DAYS = {
  name: 'save_days',
  text: `
    insert into rate_days as d (token_id, day, day_count)
    select token_id, day, day_count from rate_counters where token_id = any($1::text[]) order by token_id
    on conflict (token_id) do update set
      day = excluded.day,
      day_count = case when d.day = excluded.day then greatest(d.day_count, excluded.day_count) else excluded.day_count end
    where excluded.day >= d.day`
}

/** A crash of the database may cost what came since. Each token is written once in this time, not once a request. */
const SAVE_EVERY_MS = 30_000

/** How long requests gather while others are about, so that they share a statement. A request that comes alone does not wait. */
const GATHER_MS = 1

interface Waiting {
  hash: Buffer
  waiters: { resolve(admission: Admission | undefined): void; reject(fault: unknown): void }[]
}

export function openAdmissions(db: Reader, clock: Clock, limits: RateLimits): Admissions {
  let waiting = new Map<string, Waiting>()
  let busy = false
  let counted = new Set<string>()
  const saving = setInterval(() => void saveDays().catch(() => {}), SAVE_EVERY_MS).unref()

  /** Counts not saved now stay in the set and are saved with the next. */
  async function saveDays() {
    if (counted.size === 0) return
    const tokenIds = counted
    counted = new Set()
    await db.run(SAVE_DAYS, [[...tokenIds]]).catch(fault => {
      for (const tokenId of tokenIds) counted.add(tokenId)
      throw fault
    })
  }

  async function flush() {
    if (busy || waiting.size === 0) return
    busy = true
    const batch = waiting
    waiting = new Map()
    try {
      const asked = [...batch.values()]
      const rows = await db.run<Row>(ADMIT, [
        asked.map(({ hash }) => hash),
        asked.map(({ waiters }) => waiters.length),
        limits.perMinute,
        limits.perDay,
        clock.now()
      ])
      for (const row of rows) {
        counted.add(row[2])
        const key = row[0].toString('latin1')
        for (const [turn, { resolve }] of batch.get(key)?.waiters.entries() ?? []) resolve(admissionOf(row, turn, limits))
        batch.delete(key)
      }
      for (const { waiters } of batch.values()) for (const { resolve } of waiters) resolve(undefined)
    } catch (fault) {
      for (const { waiters } of batch.values()) for (const { reject } of waiters) reject(fault)
    }
    if (batch.size > 1) await new Promise(gathered => setTimeout(gathered, GATHER_MS))
    busy = false
    void flush()
  }

  return {
    admit(token) {
      const hash = hashToken(token)
      const key = hash.toString('latin1')
      return new Promise((resolve, reject) => {
        const known = waiting.get(key)
        if (known) known.waiters.push({ resolve, reject })
        else waiting.set(key, { hash, waiters: [{ resolve, reject }] })
        if (waiting.size === 1 && !known) setImmediate(() => void flush())
      })
    },
    async stop() {
      clearInterval(saving)
      await saveDays().catch(() => {})
    }
  }
}

/** The answer for the request that took its `turn` (from 0) in the batch. */
function admissionOf(row: Row, turn: number, limits: RateLimits): Admission {
  const [, userId, tokenId, scopes, minute, minuteCount, day, dayCount, admitted] = row
  const later = admitted - 1 - turn
  const minuteLeft = limits.perMinute - minuteCount + later
  const dayLeft = limits.perDay - dayCount + later
  const allowed = turn < admitted
  const byDay = dayLeft <= minuteLeft
  const quota = {
    allowed,
    limit: byDay ? limits.perDay : limits.perMinute,
    remaining: allowed ? Math.min(minuteLeft, dayLeft) : 0,
    resetAt: byDay ? day + 86_400 : minute + 60
  }
  return { caller: { userId, tokenId, scopes: new Set(scopes) }, quota }
}
