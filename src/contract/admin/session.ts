import { z } from 'zod'
import { changeOf, oneOf, queryOneOf, sentOnce, sessionId, timestamp, warnings } from '../common.ts'
import { instantOrDay } from '../day-or-instant.ts'
import { LIMITS } from '../limits.ts'
import {
  refuseMixtures,
  SESSION_TYPES,
  SessionDetail,
  SessionList,
  SessionListItem,
  SessionTombstone,
  sessionListQuery
} from '../session.ts'
import { CHANGEABLE, SessionChange } from '../session-change.ts'
import { SharedSessionListRow } from '../sharing.ts'
import { isBlank } from '../text.ts'
import { UserPath } from './user.ts'

export const SessionPath = UserPath.extend({ session_id: sessionId })

/** A deleted session is in the trash: only the admin API sees and restores it. */
export const SESSION_STATES = ['processing', 'completed', 'failed', 'deleted'] as const
export type SessionState = (typeof SESSION_STATES)[number]

const adminFields = {
  state: z
    .enum(SESSION_STATES)
    .meta({ description: 'An ongoing call is `processing`. `/v1` does not return deleted sessions.' }),
  failure: z.string().nullable().meta({ description: 'Why processing failed. Null otherwise.' }),
  external_id: z.string().nullable().meta({ description: 'The id of the conversation at its source.' }),
  deleted_at: timestamp.nullable().meta({ description: 'When the session was moved to the trash.' })
}

const tokens = z.int().nullable().meta({ description: 'As the provider counts them. Null if it counts none.' })

export const SummaryMaking = z
  .object({
    model: z.string().meta({ examples: ['gpt-4.1-mini'] }),
    prompt_version: z
      .string()
      .meta({ description: 'Changes with the prompts of the server.', examples: ['5d1c0b7e92fa'] }),
    input_tokens: tokens,
    output_tokens: tokens,
    made_at: timestamp
  })
  .meta({
    id: 'SummaryMaking',
    description: 'How a provider made the summary or the action items, the last time that one did.'
  })
export type SummaryMaking = z.infer<typeof SummaryMaking>

export const AdminSession = SessionDetail.extend({
  ...adminFields,
  summary_made: SummaryMaking.optional().meta({
    description: 'Absent if no provider made the summary or the action items, and in the responses to changes.'
  }),
  warnings
}).meta({ id: 'AdminSession' })
export type AdminSession = z.infer<typeof AdminSession>

export const AdminSessionListQuery = sessionListQuery
  .extend({
    status: queryOneOf([...SESSION_STATES, 'all'])
      .optional()
      .meta({
        description:
          'Returns only sessions in this state; `deleted` ones are in the trash. `all` leaves out the trash. Default: every state.'
      })
  })
  .superRefine(refuseMixtures)

/** A row of `order=updated` has the fields of `/v1` only. */
const AdminSessionListItem = SessionListItem.extend(z.object(adminFields).partial().shape).meta({
  id: 'AdminSessionListItem'
})
export type AdminSessionListItem = z.infer<typeof AdminSessionListItem>

export const AdminSessionList = SessionList.extend({
  sessions: z
    .array(z.union([AdminSessionListItem, SharedSessionListRow, SessionTombstone]))
    .meta({ description: 'With `order=updated`, own sessions have neither `state` nor the fields that follow it.' })
}).meta({ id: 'AdminSessionList' })
export type AdminSessionList = z.infer<typeof AdminSessionList>

const FIELDS = ['title', 'summary', 'timestamp', 'type', ...CHANGEABLE.filter(field => field !== 'title')]
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
    }),
    type: oneOf(SESSION_TYPES).meta({ description: 'A call stays one, and nothing else becomes `phone`.' })
  },
  fieldsError
)

export const AudioDeleted = z.object({ id: z.string(), audio_deleted_at: timestamp }).meta({ id: 'AudioDeleted' })
export type AudioDeleted = z.infer<typeof AudioDeleted>

export const AdminSessionDeleteQuery = z.object({
  permanently: z.enum(['true', 'false'], sentOnce('true or false')).default('false').meta({
    description: '`true` deletes the session permanently, also from the trash.'
  })
})
