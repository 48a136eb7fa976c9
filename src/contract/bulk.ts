import { z } from 'zod'
import { bodyId, flag } from './common.ts'
import { LIMITS } from './limits.ts'
import { SessionDetail } from './session.ts'

const idsError = `a list of 1 to ${LIMITS.bulkSessions} session ids`

export const BulkRequest = z
  .object({
    session_ids: z
      .array(bodyId('the id of a session'), { error: idsError })
      .min(1, idsError)
      .max(LIMITS.bulkSessions, idsError)
      .meta({ description: 'The response has this order. A repeated id counts once.' }),
    include_transcript: flag.default(false).meta({ description: 'Also needs the scope `transcripts:read`.' }),
    include_summary: flag.default(true)
  })
  .meta({ id: 'BulkRequest' })
export type BulkRequest = z.infer<typeof BulkRequest>

const { id, title, timestamp, duration_seconds, type, platform, language, summary, phone } = SessionDetail.shape

export const BulkExportSession = z
  .object({
    id,
    title,
    timestamp,
    duration_seconds,
    type,
    platform,
    language,
    summary: summary.optional(),
    transcript: z.string().nullable().optional(),
    phone
  })
  .meta({ id: 'BulkExportSession' })
export type BulkExportSession = z.infer<typeof BulkExportSession>

export const BulkResponse = z
  .object({
    sessions: z.array(BulkExportSession),
    errors: z
      .array(z.object({ id: z.string(), error: z.string().meta({ examples: ['not_found'] }) }))
      .meta({ description: 'The ids that could not be exported, each with an error code.' })
  })
  .meta({ id: 'BulkResponse' })
