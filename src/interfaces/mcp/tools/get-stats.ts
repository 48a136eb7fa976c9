import { z } from 'zod'
import { getStats } from '../../../features/sessions/operations.ts'
import { NOTICE, quote, shownTime } from '../answer-text.ts'
import { localTime, period, readPeriod } from '../period.ts'
import { defineTool } from '../tool.ts'

const counts = z.array(z.object({ name: z.string(), sessions: z.number() }))

export const getStatsTool = defineTool({
  name: 'get_stats',
  title: 'Count conversations',
  description: 'Counts conversations of a period by type and platform; by default of the last 30 days.',
  operation: 'getStats',
  input: z.object(period),
  output: z.object({
    total_sessions: z.number(),
    total_duration_seconds: z.number(),
    by_type: counts,
    by_platform: counts
  }),
  async answer(call, sent) {
    const { timeZone } = await call.user()
    const stats = await getStats(call.services, call.actor, await readPeriod(call, sent))
    const { total_sessions, total_duration_seconds } = stats
    const [by_type, by_platform] = [stats.sessions_by_type, stats.sessions_by_platform].map(toCounts)
    const [since, until] = [stats.period.since, stats.period.until].map(instant => localTime(instant, timeZone))
    const show = (rows = toCounts({})) => rows.map(({ name, sessions }) => `${quote(name)} ${sessions}`).join(', ')
    const lines = [
      NOTICE,
      `${total_sessions} conversations of together ${shownTime(total_duration_seconds)} from ${since} until ${until}`,
      ...(total_sessions > 0 ? [`Types: ${show(by_type)}`, `Platforms: ${show(by_platform)}`] : [])
    ]
    const object = {
      total_sessions,
      total_duration_seconds,
      by_type: by_type ?? [],
      by_platform: by_platform ?? []
    }
    return { text: lines.join('\n'), object }
  }
})

const MAX_COUNTS = 50

/** The most frequent ones, because a library may have any number of platforms. */
function toCounts(counted: Record<string, number>) {
  const rows = Object.entries(counted).map(([name, sessions]) => ({ name, sessions }))
  return rows.sort((a, b) => b.sessions - a.sessions).slice(0, MAX_COUNTS)
}
