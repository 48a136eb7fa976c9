import { z } from 'zod'
import { ActionItem } from './action-item.ts'
import { once, timestamp, wholeNumber } from './common.ts'
import { isInstant } from './instant.ts'
import { LIMITS } from './limits.ts'
import { SharedSessionListRow } from './sharing.ts'

export const SESSION_TYPES = ['meeting', 'recording', 'phone', 'desktop', 'import', 'youtube', 'podcast'] as const
export type SessionType = (typeof SESSION_TYPES)[number]

export const PhoneMetadata = z
  .object({
    direction: z.enum(['inbound', 'outbound']).nullable(),
    to_number: z.string().nullable().meta({ description: 'On inbound calls, the verified number of the user.' }),
    from_number: z.string().nullable().meta({ description: 'Null on inbound calls: the caller is unknown.' }),
    status: z.enum(['ringing', 'in_progress', 'completed', 'missed', 'failed']).nullable(),
    ongoing: z.boolean().meta({ description: 'True while the call is live.' }),
    provider: z.string().nullable(),
    contact_name: z.string().nullable()
  })
  .meta({ id: 'PhoneMetadata', description: 'Present on sessions of type `phone` only.' })
export type PhoneMetadata = z.infer<typeof PhoneMetadata>

const listed = {
  id: z.string().meta({ examples: ['ses_01m7x9fbe4fey9tg3s33gak8w3'] }),
  title: z.string().meta({ examples: ['Weekly review'] }),
  timestamp: timestamp.nullable().meta({ description: 'When the conversation took place.' }),
  duration_seconds: z.number().meta({ examples: [1800] }),
  type: z.string().meta({ description: `One of: ${SESSION_TYPES.join(', ')}.`, examples: ['meeting'] }),
  platform: z
    .string()
    .nullable()
    .meta({ examples: ['zoom'] }),
  audio_deleted_at: timestamp.nullable().meta({ description: 'When the recording was deleted; summary and transcript stay.' }),
  phone: PhoneMetadata.optional()
}

export const SessionListItem = z
  .object({ ...listed, access: z.literal('owner').optional().meta({ description: 'Present with `include=shared` only.' }) })
  .meta({ id: 'SessionListItem' })
export type SessionListItem = z.infer<typeof SessionListItem>

export const SessionList = z
  .object({
    sessions: z
      .array(z.union([SessionListItem, SharedSessionListRow]))
      .meta({ description: 'With `include=shared`, `access` distinguishes own sessions from shared ones.' }),
    next_cursor: timestamp.nullable().meta({ description: 'Pass it as `cursor` to get the next page. Null on the last page.' }),
    has_more: z.boolean(),
    shared_error: z
      .literal('sharing_unavailable')
      .optional()
      .meta({ description: 'Present if shared sessions could not be loaded: the list is incomplete.' })
  })
  .meta({ id: 'SessionList' })
export type SessionList = z.infer<typeof SessionList>

export const SessionDetail = z
  .object({
    ...listed,
    language: z
      .string()
      .nullable()
      .meta({ examples: ['en'] }),
    summary: z.string().nullable().meta({ description: 'Structured markdown.' }),
    notes: z.string().nullable(),
    tags: z.array(z.string()).optional(),
    favorite: z.boolean().optional(),
    folder_ids: z.array(z.string()).optional(),
    action_items: z.array(ActionItem).optional(),
    action_items_version: z.number().optional()
  })
  .meta({ id: 'SessionDetail' })
export type SessionDetail = z.infer<typeof SessionDetail>

const { default: usual, max } = LIMITS.sessionsPage

/** An ISO 8601 instant or day. A day means midnight UTC. Microseconds are kept, because cursors have them. */
export const instant = z
  .string(once('send an ISO 8601 date such as 2026-03-02T10:00:00Z'))
  .refine(isInstant, 'send an ISO 8601 date such as 2026-03-02T10:00:00Z')
  .meta({ format: 'date-time', examples: ['2026-03-02T10:00:00Z'] })

export const SessionListQuery = z.object({
  limit: wholeNumber(1, max)
    .default(usual)
    .meta({ type: 'integer', pattern: undefined, minimum: 1, maximum: max, description: 'The maximum number of sessions to return.' }),
  cursor: instant.optional().meta({ description: 'Returns sessions before this instant: the `next_cursor` of the previous page.' }),
  since: instant.optional().meta({ description: 'Returns sessions at or after this instant.' }),
  type: z
    .enum(SESSION_TYPES, once(`send one of ${SESSION_TYPES.join(', ')}`))
    .optional()
    .meta({ description: 'Returns only sessions of this type.' }),
  folder: z
    .string(once('send the id or the name of a folder'))
    .min(1, 'send the id or the name of a folder')
    .optional()
    .meta({
      description: 'Returns only sessions in this folder, given by id or by name. Names are case-insensitive.',
      examples: ['Clients']
    }),
  tag: z
    .union([z.string(), z.array(z.string())])
    .transform(sent => [...new Set([sent].flat().flatMap(list => list.split(',')))].filter(tag => tag !== ''))
    .refine(tags => tags.length >= 1 && tags.length <= LIMITS.tags.max, `send 1 to ${LIMITS.tags.max} tags`)
    .optional()
    .meta({
      description: 'Returns only sessions with these tags, compared exactly. Repeat the parameter or separate tags with commas.',
      examples: ['sales,weekly']
    }),
  tag_mode: z
    .enum(['any', 'all'], once('send any or all'))
    .default('any')
    .meta({ description: '`any`: sessions with at least one of the tags. `all`: sessions with every tag.' }),
  include: z.enum(['shared'], once('send shared, or leave it out')).optional().meta({
    description:
      'Appends sessions that others share with you to the first page. Filters do not apply to them; with `person` there are none.'
  }),
  person: z
    .string(once('send the id of a person, or me'))
    .min(1, 'send the id of a person, or me')
    .optional()
    .meta({ description: 'Returns only sessions in which this person speaks: an id, or `me`.', examples: ['me'] })
})
