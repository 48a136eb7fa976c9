import type { Scope } from '../contract/scopes.ts'
import type { Caller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import { sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'
import { hashToken } from './token.ts'

export interface RateLimits {
  perMinute: number
  perDay: number
}

/** A caller's quota in the window nearer to exhaustion; for a refused request, the exhausted window. */
export interface Quota {
  allowed: boolean
  /** A token's minute or day, or a client address's minute. */
  window: 'minute' | 'day' | 'address'
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
  /** The caller of a token that this process has authenticated before, without a query. */
  recall(token: string): Caller | undefined
  /** Saves the day's counts and stops. */
  stop(): Promise<void>
}

/** Whether the token's windows are still open. Another process may have opened the next one a moment before, but none later than that. */
const MINUTE_OPEN = sql.raw("r.minute between excluded.minute and excluded.minute + interval '1 minute'")
const DAY_OPEN = sql`(r.day = excluded.day or (r.day > excluded.day and ${MINUTE_OPEN}))`
/** What the token had used up before this batch. */
const MINUTE_SPENT = sql`(case when ${MINUTE_OPEN} then r.minute_count else 0 end)`
const DAY_SPENT = sql`(case when ${DAY_OPEN} then r.day_count else excluded.day_count - excluded.admitted end)`

interface OwnerRow {
  hash: Buffer
  userId: string
  tokenId: string
  scopes: Scope[]
}

/** Resolves token hashes to owners. An owner never changes, so each process asks once; countRequests checks whether the token is still valid. */
function findOwners(db: Queryable, hashes: Buffer[]) {
  return db.query<OwnerRow>(sql`
    select o.hash, o.user_id as "userId", o.token_id as "tokenId", t.scopes
    from token_owners o
    join tokens t on t.user_id = o.user_id and t.token_id = o.token_id
    where o.hash = any(${sql.param(hashes)}::bytea[])`)
}

interface CountRow {
  tokenId: string
  /** Epoch seconds. */
  minute: number
  minuteCount: number
  /** Epoch seconds. */
  day: number
  dayCount: number
  admitted: number
}

interface Requests {
  userIds: string[]
  tokenIds: string[]
  counts: number[]
}

/**
 * Authenticates and counts a batch of requests in one round trip. The row lock on a token's counter makes the limit exact across processes,
 * and validity is read in the same statement, so a revoked token is refused on the next request. `admitted` is clamped: a refused request
 * does not count.
 */
function countRequests(db: Queryable, { userIds, tokenIds, counts }: Requests, { perMinute, perDay }: RateLimits, now: Date) {
  const admitted = sql`greatest(0, least(excluded.admitted, ${perMinute}::int - ${MINUTE_SPENT}, ${perDay}::int - ${DAY_SPENT}))`
  return db.query<CountRow>(sql`
    insert into rate_counters as r (token_id, minute, minute_count, day, day_count, admitted)
    select token_id, date_trunc('minute', now()), n, (now() at time zone 'UTC')::date, spent + n, n
    from (
      select t.token_id, coalesce(d.day_count, 0) as spent,
        least(a.n, ${perMinute}::int, greatest(0, ${perDay}::int - coalesce(d.day_count, 0))) as n
      from unnest((select ${sql.param(userIds)}::text[]), (select ${sql.param(tokenIds)}::text[]), (select ${sql.param(counts)}::int[]))
        as a(user_id, token_id, n)
      join tokens t on t.user_id = a.user_id and t.token_id = a.token_id
      left join rate_days d on d.token_id = a.token_id and d.day = (now() at time zone 'UTC')::date
      where t.revoked_at is null and t.expires_at > ${now}::timestamptz
      order by t.token_id
    ) as fresh
    on conflict (token_id) do update set
      minute = case when ${MINUTE_OPEN} then r.minute else excluded.minute end,
      day = case when ${DAY_OPEN} then r.day else excluded.day end,
      minute_count = ${MINUTE_SPENT} + ${admitted},
      day_count = ${DAY_SPENT} + ${admitted},
      admitted = ${admitted}
    returning token_id as "tokenId", extract(epoch from minute)::float8 as minute, minute_count as "minuteCount",
      extract(epoch from day)::float8 as day, day_count as "dayCount", admitted`)
}

/** Copies the day's counts to a logged table, which survives a crash of the database. */
function saveDayCounts(db: Queryable, tokenIds: string[]) {
  return db.query(sql`
    insert into rate_days as d (token_id, day, day_count)
    select token_id, day, day_count from rate_counters where token_id = any(${sql.param(tokenIds)}::text[]) order by token_id
    on conflict (token_id) do update set
      day = excluded.day,
      day_count = case when d.day = excluded.day then greatest(d.day_count, excluded.day_count) else excluded.day_count end
    where excluded.day >= d.day`)
}

/** How often the day's counts are saved; a crash of the database loses at most the counts since. */
const SAVE_EVERY_MS = 30_000

/** How long requests gather for the next batch when the last batch had several. A single request does not wait. */
const GATHER_MS = 2

/** The largest number of token owners a process remembers; the cache is emptied beyond it. */
const MAX_OWNERS = 20_000

interface Asked {
  hash: Buffer
  waiters: Waiter[]
}

type Batch = Map<string, Asked>

interface Waiter {
  resolve(admission: Admission | undefined): void
  reject(error: unknown): void
}

export function openAdmissions(db: Queryable, clock: Clock, limits: RateLimits): Admissions {
  const owners = new Map<string, Caller>()
  let waiting: Batch = new Map()
  let busy = false
  let counted = new Set<string>()
  const saving = setInterval(() => void saveDays().catch(() => {}), SAVE_EVERY_MS).unref()

  /** Saves the counts of all tokens used since the last save. After an error they are saved the next time. */
  async function saveDays() {
    if (counted.size === 0) return
    const tokenIds = counted
    counted = new Set()
    await saveDayCounts(db, [...tokenIds]).catch(error => {
      for (const tokenId of tokenIds) counted.add(tokenId)
      throw error
    })
  }

  async function flush() {
    if (busy || waiting.size === 0) return
    busy = true
    const batch = waiting
    waiting = new Map()
    try {
      await readOwners(batch)
      await count(batch)
    } catch (error) {
      for (const { waiters } of batch.values()) for (const { reject } of waiters) reject(error)
    }
    if (batch.size > 1) await new Promise(gathered => setTimeout(gathered, GATHER_MS))
    busy = false
    void flush()
  }

  async function readOwners(batch: Batch) {
    if (owners.size >= MAX_OWNERS) owners.clear()
    const unknown = [...batch].filter(([key]) => !owners.has(key)).map(([, { hash }]) => hash)
    if (unknown.length === 0) return
    for (const { hash, userId, tokenId, scopes } of await findOwners(db, unknown)) {
      owners.set(keyOf(hash), { userId, tokenId, scopes: new Set(scopes) })
    }
  }

  async function count(batch: Batch) {
    const asked = new Map<string, { caller: Caller; waiters: Waiter[] }>()
    for (const [key, { waiters }] of batch) {
      const caller = owners.get(key)
      if (caller) asked.set(caller.tokenId, { caller, waiters })
      else answer(waiters, () => undefined)
    }
    const each = [...asked.values()]
    if (each.length === 0) return
    const requests = {
      userIds: each.map(({ caller }) => caller.userId),
      tokenIds: [...asked.keys()],
      counts: each.map(({ waiters }) => waiters.length)
    }
    const rows = await countRequests(db, requests, limits, clock.now())
    const counts = new Map(rows.map(row => [row.tokenId, row]))
    for (const { caller, waiters } of each) {
      const row = counts.get(caller.tokenId)
      if (row) counted.add(caller.tokenId)
      answer(waiters, turn => row && { caller, quota: quotaOf(row, turn, limits) })
    }
  }

  return {
    admit(token) {
      const hash = hashToken(token)
      const key = keyOf(hash)
      return new Promise((resolve, reject) => {
        const known = waiting.get(key)
        if (known) known.waiters.push({ resolve, reject })
        else waiting.set(key, { hash, waiters: [{ resolve, reject }] })
        if (waiting.size === 1 && !known) setImmediate(() => void flush())
      })
    },
    recall: token => owners.get(keyOf(hashToken(token))),
    async stop() {
      clearInterval(saving)
      await saveDays().catch(() => {})
    }
  }
}

function keyOf(hash: Buffer) {
  return hash.toString('latin1')
}

function answer(waiters: Waiter[], admissionOf: (turn: number) => Admission | undefined) {
  for (const [turn, { resolve }] of waiters.entries()) resolve(admissionOf(turn))
}

/** The quota of the request at position `turn` (from 0) of the batch. */
function quotaOf({ minute, minuteCount, day, dayCount, admitted }: CountRow, turn: number, limits: RateLimits): Quota {
  const later = admitted - 1 - turn
  const minuteLeft = limits.perMinute - minuteCount + later
  const dayLeft = limits.perDay - dayCount + later
  const allowed = turn < admitted
  const byDay = dayLeft <= minuteLeft
  return {
    allowed,
    window: byDay ? 'day' : 'minute',
    limit: byDay ? limits.perDay : limits.perMinute,
    remaining: allowed ? Math.min(minuteLeft, dayLeft) : 0,
    resetAt: byDay ? day + 86_400 : minute + 60
  }
}
