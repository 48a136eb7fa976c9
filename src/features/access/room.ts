import type { QuotaName, Quotas } from '../../contract/quotas.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import type { Needs } from '../services.ts'
import { dayOf, loadUses } from './quota-uses.ts'

/** A creation that takes room of a quota. */
export interface Taking {
  /** The defaults of the server. Undefined for the operator, who may exceed a quota; what the operator creates counts all the same. */
  limits: Quotas | undefined
  now: Date
  /** The input that a refusal names. */
  field?: string
}

/** The limits of an actor, for `takeRoom`. */
export function limitsFor({ quotas }: Needs<'quotas'>, { via }: Pick<Actor, 'via'>): Quotas | undefined {
  return via === 'admin' || via === 'command' ? undefined : quotas
}

/**
 * Takes room of a quota in the transaction that creates what the quota counts. It is one conditional update before the commit, so that two
 * transactions cannot take the same room, and none that fails takes any. Throws limit_exceeded, at the commit, if there is not enough.
 */
export function takeRoom(tx: Db, userId: string, quota: QuotaName, amount: number, taking: Taking) {
  if (amount > 0) tx.beforeCommit(last => take(last, userId, quota, amount, taking))
}

/** Gives room back in the transaction that deletes what the quota counts. The sessions of a day stay counted. */
export function giveRoomBack(tx: Db, userId: string, quota: Exclude<QuotaName, 'sessions_per_day'>, amount: number) {
  if (amount === 0) return
  tx.beforeCommit(async last => {
    last.willLock('user counters')
    const column = COLUMNS[quota]
    await last.execute(sql`
      update user_counters set ${column} = greatest(0, ${column} - ${amount}::bigint) where user_id = ${userId}`)
  })
}

/** Returns how much of a quota is left before anything is created, such as a file that is still to arrive. `takeRoom` decides in the end. */
export async function findRoom(db: Db, userId: string, quota: QuotaName, { limits, now }: Taking) {
  if (!limits) return Number.POSITIVE_INFINITY
  const { used, limit } = (await loadUses(db, userId, limits, now))[quota]
  return limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - used)
}

/** Throws limit_exceeded if less than the amount is left of a quota. */
export async function requireRoom(db: Db, userId: string, quota: QuotaName, amount: number, taking: Taking) {
  if (amount > 0 && (await findRoom(db, userId, quota, taking)) < amount)
    throw await refusalOf(db, userId, quota, taking)
}

const COLUMNS = {
  bytes_stored: sql.raw('bytes_stored'),
  folders: sql.raw('folder_count'),
  people: sql.raw('person_count')
} satisfies Partial<Record<QuotaName, SQL>>

async function take(tx: Db, userId: string, quota: QuotaName, amount: number, taking: Taking): Promise<void> {
  tx.willLock('user counters')
  const { used, set } = quota === 'sessions_per_day' ? dayCounter(dayOf(taking.now), amount) : counter(quota, amount)
  const limit = sql`coalesce((u.quotas->>${quota}::text)::bigint, ${taking.limits?.[quota] ?? 0}::bigint)`
  const hasRoom = taking.limits ? sql`${limit} not between 1 and ${used} + ${amount}::bigint - 1` : sql`true`
  const { rows } = await tx.execute(sql`
    update user_counters c set ${set} from users u
    where c.user_id = ${userId} and u.user_id = ${userId} and ${hasRoom} returning c.user_id`)
  if (rows.length > 0) return
  const { rows: added } = await tx.execute(
    sql`insert into user_counters (user_id) values (${userId}) on conflict do nothing returning user_id`
  )
  if (added.length === 0) throw await refusalOf(tx, userId, quota, taking)
  return await take(tx, userId, quota, amount, taking)
}

function counter(quota: keyof typeof COLUMNS, amount: number) {
  const used = sql`c.${COLUMNS[quota]}`
  return { used, set: sql`${COLUMNS[quota]} = ${used} + ${amount}::bigint` }
}

/** A transaction that began before midnight counts on the next day, if another one has begun to count it. */
function dayCounter(day: string, amount: number) {
  const isCounted = sql`c.sessions_day between ${day}::date and ${day}::date + 1`
  const used = sql`(case when ${isCounted} then c.sessions_on_day else 0 end)`
  return {
    used,
    set: sql`sessions_on_day = ${used} + ${amount}::int, sessions_day = case when ${isCounted} then c.sessions_day else ${day}::date end`
  }
}

/** The words for what each quota counts, and how a user gets room again. */
const WORDS: Record<QuotaName, [what: string, remedy: string]> = {
  bytes_stored: ['bytes of recordings and transcripts', 'delete some sessions for good'],
  sessions_per_day: ['sessions a day', 'the next day begins at 00:00 UTC'],
  folders: ['folders', 'delete one first'],
  people: ['people', 'delete or merge some first']
}

/** A limit_exceeded with the numbers as they are now. */
export async function refusalOf(db: Db, userId: string, quota: QuotaName, { limits, now, field }: Taking) {
  const { used, limit } = (await loadUses(db, userId, limits ?? NO_LIMITS, now))[quota]
  const [what, remedy] = WORDS[quota]
  const problem = `your quota of ${what} is ${(limit ?? 0).toLocaleString('en')}, and ${used.toLocaleString('en')} are used; ${remedy}`
  return new ApiError('limit_exceeded', problem, { field })
}

const NO_LIMITS: Quotas = { bytes_stored: 0, sessions_per_day: 0, folders: 0, people: 0 }
