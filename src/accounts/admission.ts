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
  /** A token's minute or day, or the minute of a client address. */
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
  /** Whose the token was when this process last authenticated it, without asking the database. */
  recall(token: string): Caller | undefined
  /** Saves the counts of the day and stops. */
  stop(): Promise<void>
}

/** The database's clock was set back: nobody is to wait for a window that comes again in an hour or a day. */
const SET_BACK = "r.minute > excluded.minute + interval '1 minute'"
/** What the token had used up before this batch, in the newest window that any process has opened. */
const MINUTE_SPENT = `(case when r.minute >= excluded.minute and not (${SET_BACK}) then r.minute_count else 0 end)`
const DAY_SPENT = `(case when r.day > excluded.day and ${SET_BACK} then excluded.day_count - excluded.admitted
      when r.day >= excluded.day then r.day_count else 0 end)`
const ADMITTED = `greatest(0, least(excluded.admitted, $4::int - ${MINUTE_SPENT}, $5::int - ${DAY_SPENT}))`

/** Whose a token is, by its hash. That never changes, so it is asked once in a process; whether it still counts is asked by COUNT. */
const FIND_OWNERS = {
  name: 'find_token_owners',
  text: `
    select o.hash, o.user_id, o.token_id, t.scopes
    from token_owners o
    join tokens t on t.user_id = o.user_id and t.token_id = o.token_id
    where o.hash = any($1::bytea[])`
}

type OwnerRow = [Buffer, string, string, Scope[]]

/**
 * Validity and the limiter in one round trip, for all requests that arrive while the last one was under way.
 * The row lock of a token's counter makes the limit exact over any number of processes, and what the statement reads of
 * the token is never older than the request. `admitted` is clamped, so a refused request uses nothing up.
 */
const COUNT = {
  name: 'count_requests',
  text: `
    insert into rate_counters as r (token_id, minute, minute_count, day, day_count, admitted)
    select token_id, date_trunc('minute', now()), n, (now() at time zone 'UTC')::date, spent + n, n
    from (
      select t.token_id, coalesce(d.day_count, 0) as spent, least(a.n, $4, greatest(0, $5 - coalesce(d.day_count, 0))) as n
      from unnest((select $1::text[]), (select $2::text[]), (select $3::int[])) as a(user_id, token_id, n)
      join tokens t on t.user_id = a.user_id and t.token_id = a.token_id
      left join rate_days d on d.token_id = a.token_id and d.day = (now() at time zone 'UTC')::date
      where t.revoked_at is null and t.expires_at > $6::timestamptz
      order by t.token_id
    ) as fresh
    on conflict (token_id) do update set
      minute = case when ${SET_BACK} then excluded.minute else greatest(r.minute, excluded.minute) end,
      day = case when ${SET_BACK} then excluded.day else greatest(r.day, excluded.day) end,
      minute_count = ${MINUTE_SPENT} + ${ADMITTED},
      day_count = ${DAY_SPENT} + ${ADMITTED},
      admitted = ${ADMITTED}
    returning token_id, extract(epoch from minute)::float8, minute_count, extract(epoch from day)::float8, day_count, admitted`
}

type CountRow = [string, number, number, number, number, number]

/** Keeps the day's counts where a crash of the database does not empty them. */
const SAVE_DAYS = {
  name: 'save_days',
  text: `
    insert into rate_days as d (token_id, day, day_count)
    select token_id, day, day_count from rate_counters where token_id = any($1::text[]) order by token_id
    on conflict (token_id) do update set
      day = excluded.day,
      day_count = case when d.day = excluded.day then greatest(d.day_count, excluded.day_count) else excluded.day_count end
    where excluded.day >= d.day or d.day > (now() at time zone 'UTC')::date`
}

/** A crash of the database may cost what came since. Each token is written once in this time, not once a request. */
const SAVE_EVERY_MS = 30_000

/** How long requests gather while others are about, so that they share a statement. A request that comes alone does not wait. */
const GATHER_MS = 2

/** How many tokens a process remembers the owner of before it starts anew. */
const MOST_OWNERS = 20_000

interface Asked {
  hash: Buffer
  waiters: Waiter[]
}

type Batch = Map<string, Asked>

interface Waiter {
  resolve(admission: Admission | undefined): void
  reject(fault: unknown): void
}

export function openAdmissions(db: Reader, clock: Clock, limits: RateLimits): Admissions {
  const owners = new Map<string, Caller>()
  let waiting: Batch = new Map()
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
      await findOwners(batch)
      await count(batch)
    } catch (fault) {
      for (const { waiters } of batch.values()) for (const { reject } of waiters) reject(fault)
    }
    if (batch.size > 1) await new Promise(gathered => setTimeout(gathered, GATHER_MS))
    busy = false
    void flush()
  }

  async function findOwners(batch: Batch) {
    if (owners.size >= MOST_OWNERS) owners.clear()
    const unknown = [...batch].filter(([key]) => !owners.has(key)).map(([, { hash }]) => hash)
    if (unknown.length === 0) return
    for (const [hash, userId, tokenId, scopes] of await db.run<OwnerRow>(FIND_OWNERS, [unknown])) {
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
    const rows =
      each.length === 0
        ? []
        : await db.run<CountRow>(COUNT, [
            each.map(({ caller }) => caller.userId),
            [...asked.keys()],
            each.map(({ waiters }) => waiters.length),
            limits.perMinute,
            limits.perDay,
            clock.now()
          ])
    const counts = new Map(rows.map(row => [row[0], row]))
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

/** What the request that took its `turn` (from 0) in the batch is told. */
function quotaOf(row: CountRow, turn: number, limits: RateLimits): Quota {
  const [, minute, minuteCount, day, dayCount, admitted] = row
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
