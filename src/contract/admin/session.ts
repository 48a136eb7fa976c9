import { z } from 'zod'
import { changeOf, pageEnd, pageLimit, queryOneOf, sessionId, timestamp } from '../common.ts'
import { LIMITS } from '../limits.ts'
import { instantOrDay, SessionDetail } from '../session.ts'
import { CHANGEABLE, SessionChange } from '../session-change.ts'
import { isBlank } from '../text.ts'
import { UserPath } from './user.ts'

export const SessionPath = UserPath.extend({ session_id: sessionId })

/** A deleted session is in the trash: only the admin API sees and restores it. */
export const SESSION_STATES = ['processing', 'completed', 'failed', 'deleted'] as const
export type SessionState = (typeof SESSION_STATES)[number]

export const AdminSession = SessionDetail.extend({
  state: z
    .enum(SESSION_STATES)
    .meta({ description: 'An ongoing call is `processing`. `/v1` does not return deleted sessions.' }),
  failure: z.string().nullable().meta({ description: 'Why processing failed. Null otherwise.' }),
  external_id: z.string().nullable().meta({ description: 'The id of the conversation at its source.' }),
  deleted_at: timestamp.nullable()
}).meta({ id: 'AdminSession' })
export type AdminSession = z.infer<typeof AdminSession>

export const AdminSessionListQuery = z.object({
  state: queryOneOf(SESSION_STATES).optional().meta({ description: 'Returns only sessions in this state.' }),
  limit: pageLimit(LIMITS.sessionsPage, 'The maximum number of sessions to return.'),
  cursor: instantOrDay.optional().meta({ description: 'The `next_cursor` of the previous page.' })
})

export const AdminSessionList = z
  .object({ sessions: z.array(AdminSession), ...pageEnd(timestamp) })
  .meta({ id: 'AdminSessionList' })

const FIELDS = ['title', 'summary', 'timestamp', ...CHANGEABLE.filter(field => field !== 'title')]
const fieldsError = `at least one of ${FIELDS.join(', ')}`

const summaryError = `a text of 1 to ${LIMITS.summary} characters that is not blank`
const summary = z
  .string(summaryError)
  .max(LIMITS.summary, summaryError)
  .refine(text => !isBlank(text), summaryError)

export const AdminSessionChange = changeOf(
  'AdminSessionChange',
  {
    ...SessionChange.shape,
    summary: summary.meta({ description: 'Markdown, not blank.' }),
    timestamp: instantOrDay.meta({
      description:
        'When the conversation took place. A new timestamp moves the session in lists, and moves due dates that were given in words.'
    })
  },
  fieldsError
)

export const AudioDeleted = z.object({ id: z.string(), audio_deleted_at: timestamp }).meta({ id: 'AudioDeleted' })
export const SessionRemoved = z
  .object({ id: z.string(), deleted: z.boolean(), permanently: z.boolean() })
  .meta({ id: 'SessionRemoved' })
