import type { Audience } from '../../contract/oauth.ts'
import type { Scope } from '../../contract/scopes.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Database, Queryable } from '../../platform/db/open.ts'
import type { RateLimits } from '../../platform/ports/admissions.ts'

/** True while the token's windows are open. Another process may have opened the next one a moment before, but none later than that. */
const MINUTE_OPEN = sql.raw("r.minute between excluded.minute and excluded.minute + interval '1 minute'")
const DAY_OPEN = sql`(r.day = excluded.day or (r.day > excluded.day and ${MINUTE_OPEN}))`
/** The token's counts before this batch. */
const MINUTE_SPENT = sql`(case when ${MINUTE_OPEN} then r.minute_count else 0 end)`
const DAY_SPENT = sql`(case when ${DAY_OPEN} then r.day_count else excluded.day_count - excluded.admitted end)`

interface Owner {
  userId: string
  tokenId: string
}

/** A token by its hash. */
export interface TokenOwner extends Owner {
  /** The end of an access token, in ISO 8601. Null for a token that ends with its row. */
  endsAt: string | null
  /** The scopes of an access token that has fewer than its row. */
  fewerScopes: Scope[] | null
}

/** Resolves token hashes to owners, which never change. */
export function findOwners(db: Queryable, hashes: Buffer[]) {
  return db.query<TokenOwner & { hash: Buffer }>(sql`
    select hash, user_id as "userId", token_id as "tokenId", expires_at as "endsAt", scopes as "fewerScopes"
    from token_owners where hash = any(${sql.param(hashes)}::bytea[])`)
}

/** Returns whether an access token is over, though the connection that it belongs to may go on. */
export function hasEnded({ endsAt }: Pick<TokenOwner, 'endsAt'>, now: Date) {
  return endsAt !== null && Date.parse(endsAt) <= now.getTime()
}

export interface ValidToken {
  tokenId: string
  scopes: Scope[]
  /** Null for a token that is not an agent's. */
  audience: Audience | null
  /** ISO 8601. */
  expiresAt: string
}

/** Returns the token if it is neither revoked nor expired. Citus routes a statement on one table by its owner parameter with least work. */
export function findValidToken(db: Queryable, { userId, tokenId }: Owner, now: Date) {
  return db.query<ValidToken>(sql`
    select token_id as "tokenId", scopes, audience, expires_at as "expiresAt" from tokens
    where user_id = ${userId} and token_id = ${tokenId} and revoked_at is null and expires_at > ${now}`)
}

export interface CountRow {
  tokenId: string
  /** Epoch seconds. */
  minute: number
  minuteCount: number
  /** Epoch seconds. */
  day: number
  dayCount: number
  admitted: number
}

/** Requests that count towards one counter. A batch has each counter once. */
export interface Arrived extends Owner {
  count: number
}

/** Keyed by token id. A token that is not in `valid` is expired or revoked; one whose node is down has that error. */
export interface Counted {
  counts: Map<string, CountRow>
  valid: Map<string, ValidToken | Error>
}

type Counters = Pick<Database, 'query' | 'isDistributed'>

/** Counts a batch of requests with known tokens, and reads which of the tokens are valid. */
export async function countArrived(db: Counters, arrived: Arrived[], now: Date, limits: RateLimits): Promise<Counted> {
  if (await db.isDistributed()) return await countOnCluster(db, arrived, now, limits)
  const rows = await countValidRequests(db, arrived, now, limits)
  const byToken = new Map(rows.map(row => [row.tokenId, row]))
  return { counts: byToken, valid: byToken }
}

/** Counters are on the coordinator and tokens on their owners' nodes. Where a node is down, its owners get the error and the others do not. */
async function countOnCluster(db: Counters, arrived: Arrived[], now: Date, limits: RateLimits): Promise<Counted> {
  const valid: Counted['valid'] = new Map()
  async function readToken(owner: Owner) {
    try {
      for (const token of await findValidToken(db, owner, now)) valid.set(token.tokenId, token)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      valid.set(owner.tokenId, error)
    }
  }
  const [rows] = await Promise.all([countRequests(db, arrived, limits), ...arrived.map(readToken)])
  return { counts: new Map(rows.map(row => [row.tokenId, row])), valid }
}

/** Counts a batch of requests, whether their tokens are valid or not. */
function countRequests(db: Queryable, arrived: Arrived[], limits: RateLimits) {
  return db.query<CountRow>(countStatement(sql`${rowsOf(arrived)} as a(user_id, token_id, n)`, limits))
}

/**
 * Counts those requests of a batch whose token is neither revoked nor expired, and returns its scopes and expiry too. `offset 0` makes the planner look
 * tokens up by key, because an owner may have thousands. A cluster has counters and tokens on different nodes and refuses the statement.
 */
function countValidRequests(db: Queryable, arrived: Arrived[], now: Date, limits: RateLimits) {
  return db.query<CountRow & ValidToken>(sql`
    with valid as materialized (
      select a.token_id, a.n, t.scopes, t.audience, t.expires_at from ${rowsOf(arrived)} as a(user_id, token_id, n)
      cross join lateral (
        select scopes, audience, expires_at from tokens
        where user_id = a.user_id and token_id = a.token_id and revoked_at is null and expires_at > ${now}
        offset 0
      ) t
    ),
    counted as (${countStatement(sql`valid a`, limits)})
    select counted.*, valid.scopes, valid.audience, valid.expires_at as "expiresAt"
    from counted join valid on valid.token_id = counted."tokenId"`)
}

function rowsOf(arrived: Arrived[]) {
  return sql`unnest(
        (select ${sql.param(arrived.map(({ userId }) => userId))}::text[]),
        (select ${sql.param(arrived.map(({ tokenId }) => tokenId))}::text[]),
        (select ${sql.param(arrived.map(({ count }) => count))}::int[]))`
}

/**
 * Counts the `n` requests of each `token_id` in `a`. The row lock on a token's counter makes the limit exact across processes. `admitted` is
 * clamped: a refused request does not count.
 */
function countStatement(arrived: SQL, { perMinute, perDay }: RateLimits) {
  const admitted = sql`greatest(0, least(excluded.admitted, ${perMinute}::int - ${MINUTE_SPENT}, ${perDay}::int - ${DAY_SPENT}))`
  return sql`
    insert into rate_counters as r (token_id, minute, minute_count, day, day_count, admitted)
    select token_id, date_trunc('minute', now()), n, (now() at time zone 'UTC')::date, spent + n, n
    from (
      select a.token_id, coalesce(d.day_count, 0) as spent,
        least(a.n, ${perMinute}::int, greatest(0, ${perDay}::int - coalesce(d.day_count, 0))) as n
      from ${arrived}
      left join rate_days d on d.token_id = a.token_id and d.day = (now() at time zone 'UTC')::date
      order by a.token_id
    ) as fresh
    on conflict (token_id) do update set
      minute = case when ${MINUTE_OPEN} then r.minute else excluded.minute end,
      day = case when ${DAY_OPEN} then r.day else excluded.day end,
      minute_count = ${MINUTE_SPENT} + ${admitted},
      day_count = ${DAY_SPENT} + ${admitted},
      admitted = ${admitted}
    returning token_id as "tokenId", extract(epoch from minute)::float8 as minute, minute_count as "minuteCount",
      extract(epoch from day)::float8 as day, day_count as "dayCount", admitted`
}

/** Copies the day's counts to a logged table, which survives a crash of the database. */
export function saveDayCounts(db: Queryable, tokenIds: string[]) {
  return db.query(sql`
    insert into rate_days as d (token_id, day, day_count)
    select token_id, day, day_count from rate_counters where token_id = any(${sql.param(tokenIds)}::text[]) order by token_id
    on conflict (token_id) do update set
      day = excluded.day,
      day_count = case when d.day = excluded.day then greatest(d.day_count, excluded.day_count) else excluded.day_count end
    where excluded.day >= d.day`)
}
