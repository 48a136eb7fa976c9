import { z } from 'zod'
import { timestamp } from './common.ts'
import { instantOrDay } from './day-or-instant.ts'

export const StatsQuery = z.object({
  since: instantOrDay.optional().meta({ description: 'Start of the period. Default: 30 days ago.' }),
  until: instantOrDay.optional().meta({ description: 'End of the period, exclusive. Default: now.' })
})
export type StatsQuery = z.infer<typeof StatsQuery>

// z.record leaves out a platform that is called __proto__.
const counts: z.ZodType<Record<string, number>> = z
  .any()
  .meta({ type: 'object', additionalProperties: { type: 'number' } })

export const StatsResponse = z
  .object({
    total_sessions: z.number(),
    total_duration_seconds: z.number(),
    average_duration_seconds: z.number().meta({ description: '0 without sessions.' }),
    sessions_by_type: counts,
    sessions_by_platform: counts.meta({ description: 'Sessions without a platform count as `unknown`.' }),
    period: z.object({ since: timestamp, until: timestamp })
  })
  .meta({ id: 'StatsResponse' })
export type StatsResponse = z.infer<typeof StatsResponse>
