import type { StatsResponse } from '../../contract/stats.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'

const DAY_MS = 86_400_000

/** Instants with microseconds; `since` is not after `until`. */
interface StatsPeriod {
  since: string
  until: string
}

interface Count {
  type: string
  platform: string
  sessions: number
  seconds: number
}

/** Whole UTC days come from their counts, the two ends of the period from the sessions themselves. */
export async function findStats(db: Queryable, userId: string, { since, until }: StatsPeriod): Promise<StatsResponse> {
  const { first, end } = wholeDays(since, until)
  const counts = await db.query<Count>(sql`
    select type, platform, sum(sessions)::int as sessions, sum(seconds)::float8 as seconds
    from (
      select type, platform, sessions, seconds from session_days
      where user_id = ${userId} and day >= (${first}::timestamptz at time zone 'UTC')::date
        and day < (${end}::timestamptz at time zone 'UTC')::date
      union all
      select type, coalesce(platform, 'unknown'), 1, duration_seconds::numeric from sessions
      where user_id = ${userId} and state = 'completed' and sort_at >= ${since}::timestamptz
        and sort_at < least(${first}::timestamptz, ${until}::timestamptz)
      union all
      select type, coalesce(platform, 'unknown'), 1, duration_seconds::numeric from sessions
      where user_id = ${userId} and state = 'completed' and sort_at >= ${end}::timestamptz and sort_at < ${until}::timestamptz
    ) counted
    group by type, platform
    having sum(sessions) > 0
    order by type, platform`)
  const sessions = counts.reduce((sum, count) => sum + count.sessions, 0)
  const seconds = counts.reduce((sum, count) => sum + count.seconds, 0)
  return {
    total_sessions: sessions,
    total_duration_seconds: seconds,
    average_duration_seconds: sessions > 0 ? seconds / sessions : 0,
    sessions_by_type: sumBy(counts, 'type'),
    sessions_by_platform: sumBy(counts, 'platform'),
    period: { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
  }
}

/** Returns the first and the last midnight of the period, or its end twice if it has no whole day. */
export function wholeDays(since: string, until: string) {
  // Dates have milliseconds, so a microsecond past midnight counts as one more millisecond.
  const first = Math.ceil((Date.parse(since) + (/\.\d{3}\d*[1-9]/.test(since) ? 1 : 0)) / DAY_MS) * DAY_MS
  const end = Math.floor(Date.parse(until) / DAY_MS) * DAY_MS
  return first < end
    ? { first: new Date(first).toISOString(), end: new Date(end).toISOString() }
    : { first: until, end: until }
}

function sumBy(counts: Count[], key: 'type' | 'platform') {
  const totals = new Map<string, number>()
  for (const count of counts) totals.set(count[key], (totals.get(count[key]) ?? 0) + count.sessions)
  return Object.fromEntries(totals)
}
