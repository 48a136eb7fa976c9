import {
  eachQuota,
  QUOTA_NAMES,
  type QuotaChange,
  type QuotaName,
  type Quotas,
  type UserQuotas
} from '../../contract/quotas.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

type QuotaUses = Record<QuotaName, { used: number; limit: number | null }>

/** The counters of a user's quotas, and the limits of their own. */
export interface Counted {
  quotas: Partial<Quotas>
  bytes_stored: number
  folder_count: number
  person_count: number
  sessions_day: string | null
  sessions_on_day: number
}

/** The columns of a `Counted`, of users `u` and their counters `c`, which may be missing. Outside of a transaction a bigint would be a text. */
export const COUNTED_COLUMNS = sql.raw(`u.quotas, coalesce(c.bytes_stored, 0)::float8 as bytes_stored,
      coalesce(c.folder_count, 0) as folder_count, coalesce(c.person_count, 0) as person_count,
      c.sessions_day, coalesce(c.sessions_on_day, 0) as sessions_on_day`)

const DAY_MS = 86_400_000

/** The UTC day of an instant. */
export function dayOf(now: Date) {
  return now.toISOString().slice(0, 10)
}

/** Returns how much of each quota is used, and its limit, which is the default of the server unless the user has one of their own. */
export function toUses(counted: Counted, defaults: Quotas, now: Date): QuotaUses {
  const used: Record<QuotaName, number> = {
    bytes_stored: counted.bytes_stored,
    sessions_per_day: isToday(counted.sessions_day, now) ? counted.sessions_on_day : 0,
    folders: counted.folder_count,
    people: counted.person_count
  }
  return eachQuota(name => ({ used: used[name], limit: (counted.quotas[name] ?? defaults[name]) || null }))
}

/** The same, with whether each limit is the default. */
export function toUserQuotas(counted: Counted, defaults: Quotas, now: Date): UserQuotas {
  const uses = toUses(counted, defaults, now)
  return eachQuota(name => ({ ...uses[name], is_default: counted.quotas[name] === undefined }))
}

/** As `takeRoom` counts: another server may have begun the next day. */
function isToday(day: string | null, now: Date) {
  return day === dayOf(now) || day === dayOf(new Date(now.getTime() + DAY_MS))
}

/** Reads what is used of each quota now. */
export async function loadUses(db: Db, userId: string, defaults: Quotas, now: Date) {
  const { rows } = await db.execute<Counted & Record<string, unknown>>(sql`
    select ${COUNTED_COLUMNS} from users u left join user_counters c on c.user_id = ${userId} where u.user_id = ${userId}`)
  return toUses(rows[0] ?? throwNotFound('User'), defaults, now)
}

/** The limits of a user's own after a change, in which null takes the default of the server again. */
export function changeQuotas(before: Partial<Quotas>, change: QuotaChange): Partial<Quotas> {
  const after: Partial<Record<QuotaName, number>> = {}
  for (const name of QUOTA_NAMES) {
    const limit = change[name] === undefined ? before[name] : change[name]
    if (typeof limit === 'number') after[name] = limit
  }
  return after
}
