import { z } from 'zod'
import { ActionItem } from './action-item.ts'
import { folderIdOrName, pageLimit, personIdOrMe, queryOneOf, sentOnce, timestamp, wordsOfTitle } from './common.ts'
import { instantError, instantOrDay } from './day-or-instant.ts'
import { isInstant, toUtc } from './instant.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'
import { SESSION_STATUSES } from './session-accepted.ts'
import { failure_reason, progress, status, transcript_warnings, waiting_reason } from './session-progress.ts'
import { SharedSessionListRow } from './sharing.ts'
import { isBlank } from './text.ts'

export const SESSION_TYPES = ['meeting', 'recording', 'phone', 'desktop', 'import', 'youtube', 'podcast'] as const
export type SessionType = (typeof SESSION_TYPES)[number]

export const CALL_DIRECTIONS = ['inbound', 'outbound'] as const
export const CALL_STATES = ['ringing', 'in_progress', 'completed', 'missed', 'failed'] as const

export const PhoneMetadata = z
  .object({
    direction: z.enum(CALL_DIRECTIONS).nullable(),
    to_number: z.string().nullable().meta({ description: 'On inbound calls, the verified number of the user.' }),
    from_number: z.string().nullable().meta({ description: 'Null on inbound calls: the caller is unknown.' }),
    status: z.enum(CALL_STATES).nullable(),
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
  audio_deleted_at: timestamp
    .nullable()
    .meta({ description: 'When the recording was deleted; summary and transcript stay.' }),
  phone: PhoneMetadata.optional()
}

const created_at = timestamp.meta({ description: 'When the session was created here.' })
const updated_at = timestamp.meta({ description: 'When the session last changed. Folders do not count.' })

export const SessionListItem = z
  .object({
    ...listed,
    created_at: created_at.optional().meta({ description: 'Present with `order=updated` only.' }),
    updated_at: updated_at.optional().meta({ description: 'Present with `order=updated` only.' }),
    access: z.literal('owner').optional().meta({ description: 'Present with `include=shared` only.' }),
    status: status.optional().meta({ description: 'Present with `status` in the query only.' }),
    failure_reason: failure_reason.meta({
      description: 'Why processing failed. Present with `status` in the query only.'
    })
  })
  .meta({ id: 'SessionListItem' })
export type SessionListItem = z.infer<typeof SessionListItem>

/** The row of a deleted session, for clients that keep a copy. */
export const SessionTombstone = z
  .object({ id: listed.id, deleted_at: timestamp })
  .meta({ id: 'SessionTombstone', description: 'A deleted session: remove it from your copy.' })

export const SessionList = z
  .object({
    sessions: z.array(z.union([SessionListItem, SharedSessionListRow, SessionTombstone])).meta({
      description:
        'With `include=shared`, `access` distinguishes own sessions from shared ones. With `include=deleted`, deleted ones have `deleted_at`.'
    }),
    next_cursor: z
      .string()
      .nullable()
      .meta({
        description:
          'Pass it as `cursor` to get the next page. Null on the last page, but with `order=updated`, where the next sync begins at it.',
        examples: ['2026-03-02T10:00:00.000Z']
      }),
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
    created_at,
    updated_at,
    language: z
      .string()
      .nullable()
      .meta({ examples: ['en'] }),
    summary: z.string().nullable().meta({ description: 'Structured markdown.' }),
    notes: z.string().nullable(),
    tags: z.array(z.string()).optional(),
    favorite: z.boolean().optional(),
    keep: z.boolean().optional().meta({
      description: 'True if retention deletes neither the session nor its recording; absent means that it does.'
    }),
    folder_ids: z.array(z.string()).optional(),
    action_items: z.array(ActionItem).optional(),
    action_items_version: z.number().optional(),
    status: status.optional(),
    failure_reason,
    progress,
    waiting_reason,
    warnings: transcript_warnings
  })
  .meta({ id: 'SessionDetail' })
export type SessionDetail = z.infer<typeof SessionDetail>

/** One instant, or two joined by `_`: a position in the order of changes, and when the first copy that reaches it began. */
const listCursor = z
  .string(sentOnce(instantError))
  .max(FIELD_LIMITS.cursor, instantError)
  .refine(text => text.split('_', 3).length <= 2 && text.split('_', 2).every(isInstant), {
    error: instantError,
    abort: true
  })
  .overwrite(text => text.split('_', 2).map(toUtc).join('_'))

/** The tags of values that separate them by commas. `\,` is a comma within a tag. */
function listTags(values: readonly string[]) {
  const tags = values.flatMap(value => value.split(/(?<!\\),/)).map(tag => tag.replaceAll('\\,', ','))
  return [...new Set(tags)].filter(tag => !isBlank(tag))
}

const tagsError = `1 to ${LIMITS.tags.max} tags`
/** Each character of a tag may have a backslash, and a comma follows. */
const tagList = z.string().max(LIMITS.tags.max * (2 * LIMITS.tags.length + 1), tagsError)

function isTagList(value: string) {
  return listTags([value]).length > 1
}

/** The parameters of a list. Use it with `refuseMixtures`. */
export const sessionListQuery = z.object({
  limit: pageLimit(LIMITS.sessionsPage, 'The maximum number of sessions to return.'),
  cursor: listCursor.optional().meta({
    description:
      'The `next_cursor` of the previous page. Returns sessions before this instant; with `order=updated`, changes after it.',
    examples: ['2026-03-02T10:00:00Z']
  }),
  since: instantOrDay.optional().meta({ description: 'Returns sessions at or after this instant.' }),
  until: instantOrDay.optional().meta({ description: 'Returns sessions before this instant.' }),
  title: wordsOfTitle,
  type: queryOneOf(SESSION_TYPES).optional().meta({ description: 'Returns only sessions of this type.' }),
  status: queryOneOf([...SESSION_STATUSES, 'all'])
    .optional()
    .meta({
      description:
        'Returns sessions in this state, or in `all`, with `status` and `failure_reason` in each row. Default: completed ones.'
    }),
  folder: folderIdOrName.optional().meta({
    description: 'Returns only sessions in this folder, given by id or by name. Names are case-insensitive.',
    examples: ['Clients']
  }),
  tag: z
    .union([tagList, z.array(tagList).max(LIMITS.tags.max, tagsError)], { error: tagsError })
    .transform(sent => ({ names: listTags([sent].flat()), values: [sent].flat().filter(isTagList) }))
    .refine(({ names }) => names.length >= 1 && names.length <= LIMITS.tags.max, tagsError)
    .optional()
    .meta({
      description:
        'Returns only sessions with these tags, compared exactly. Repeat the parameter or separate tags with commas. ' +
        'A comma within a tag is written `\\,`. With `any`, a value with commas also counts as one tag.',
      examples: ['sales,weekly']
    }),
  tag_mode: z
    .enum(['any', 'all'], sentOnce('any or all'))
    .default('any')
    .meta({ description: '`any`: sessions with at least one of the tags. `all`: sessions with every tag.' }),
  include: z.enum(['shared', 'deleted'], sentOnce('shared or deleted, or leave it out')).optional().meta({
    description:
      '`shared`: appends sessions that others share with you to the first page. Filters do not apply to them; with `person` there are none. `deleted`, with `order=updated`: includes the ids of sessions that were deleted in the last 30 days.'
  }),
  order: z.enum(['updated'], sentOnce('updated, or leave it out')).optional().meta({
    description:
      'Lists every completed session by its last change, oldest first, in the order of commits: for a copy that is kept current. Takes no filters.'
  }),
  updated_since: instantOrDay.optional().meta({
    description:
      'With `order=updated`: begins with the changes since this instant. `cursor` goes on from there. With `include=deleted`, an instant before a deletion that is no longer known is refused.'
  }),
  favorite: z.enum(['true'], sentOnce('true, or leave it out')).optional().meta({
    description: 'Returns only sessions that the user has marked as a favorite.'
  }),
  person: personIdOrMe
    .optional()
    .meta({ description: 'Returns only sessions in which this person speaks: an id, or `me`.', examples: ['me'] })
})

/** The parameters that filter sessions, which a copy of all sessions cannot take. */
const FILTERS = ['since', 'until', 'title', 'type', 'status', 'folder', 'tag', 'favorite', 'person'] as const

const listsAll = 'leave it out with order=updated, which lists every session'
const LISTS_ALL = { message: listsAll, params: { problem: listsAll } }

/** Refuses combinations of parameters that name different lists. */
export function refuseMixtures(
  query: Omit<z.output<typeof sessionListQuery>, 'status'> & { status?: string | undefined },
  context: z.RefinementCtx
) {
  const refuse = (name: keyof typeof query, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message })
  if (query.order === 'updated') {
    for (const name of FILTERS)
      if (query[name] !== undefined) context.addIssue({ code: 'custom', path: [name], ...LISTS_ALL })
    if (query.include === 'shared') refuse('include', 'deleted with order=updated, or leave it out')
  } else {
    if (query.updated_since !== undefined) refuse('updated_since', 'it with order=updated')
    if (query.include === 'deleted') refuse('include', 'deleted with order=updated only')
    if (query.cursor?.includes('_')) refuse('cursor', instantError)
  }
}

export const SessionListQuery = sessionListQuery.superRefine(refuseMixtures)
export type SessionListQuery = z.infer<typeof SessionListQuery>

/** The query of any door: not every door lists the trash. */
export type SessionListRequest = Omit<SessionListQuery, 'status'> & {
  status?: SessionListQuery['status'] | 'deleted'
}
