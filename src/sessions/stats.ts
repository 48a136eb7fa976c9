import type { StatsResponse } from '../contract/stats.ts'
import type { Reader } from '../db/open.ts'

const DAY_MS = 86_400_000

/**
 * Whole UTC days come from their counts, the two ends of the period from the sessions themselves. $2 and $3 are the
 * period, $4 and $5 the whole days in it; where it has none, both are its end.
 */
const STATS = {
  name: 'session_stats',
  text: `
    select type, platform, sum(sessions)::int, sum(seconds)::float8
    from (
      select type, platform, sessions, seconds from session_days
      where user_id = $1 and day >= ($4::timestamptz at time zone 'UTC')::date and day < ($5::timestamptz at time zone 'UTC')::date
      union all
      select type, coalesce(platform, 'unknown'), 1, duration_seconds::numeric from sessions
      where user_id = $1 and state = 'completed' and sort_at >= $2::timestamptz and sort_at < least($4::timestamptz, $3::timestamptz)
      union all
      select type, coalesce(platform, 'unknown'), 1, duration_seconds::numeric from sessions
      where user_id = $1 and state = 'completed' and sort_at >= $5::timestamptz and sort_at < $3::timestamptz
    ) counted
    group by type, platform
    having sum(sessions) > 0
    order by type, platform`
}

/** The period as instants with their microseconds, `since` not after `until`. */
export interface Period {
  since: string
  until: string
}

export async function findStats(db: Reader, userId: string, { since, until }: Period): Promise<StatsResponse> {
  const rows = await db.run<[string, string, number, number]>(STATS, [userId, since, until, ...wholeDays(since, until)])
  const sessions = rows.reduce((sum, [, , count]) => sum + count, 0)
  const seconds = rows.reduce((sum, [, , , length]) => sum + length, 0)
  return {
    total_sessions: sessions,
    total_duration_seconds: seconds,
    average_duration_seconds: sessions > 0 ? seconds / sessions : 0,
    sessions_by_type: countBy(rows.map(([type, , count]) => [type, count])),
    sessions_by_platform: countBy(rows.map(([, platform, count]) => [platform, count])),
    period: { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
  }
}

/** The first and the last midnight of a period; its end twice where it has no whole day. */
function wholeDays(since: string, until: string) {
  // A microsecond past midnight is past it, which milliseconds alone would hide.
  const first = Math.ceil((Date.parse(since) + (/\.\d{3}\d*[1-9]/.test(since) ? 1 : 0)) / DAY_MS) * DAY_MS
  const last = Math.floor(Date.parse(until) / DAY_MS) * DAY_MS
  return first < last ? [new Date(first).toISOString(), new Date(last).toISOString()] : [until, until]
}

function countBy(counts: [string, number][]) {
  const totals = new Map<string, number>()
  for (const [name, count] of counts) totals.set(name, (totals.get(name) ?? 0) + count)
  return Object.fromEntries(totals)
}
