import { z } from 'zod'
import { characters, once, timestamp, wholeNumber } from './common.ts'
import { emailAddress } from './email.ts'
import { LIMITS } from './limits.ts'

const { emails, email, message, inviteId } = LIMITS.sharing

export const ShareScope = z
  .object({ summary: z.boolean(), transcript: z.boolean(), audio: z.boolean(), action_items: z.boolean() })
  .meta({ id: 'ShareScope', description: 'What its owner shares of the session.' })
export type ShareScope = z.infer<typeof ShareScope>

const listed = {
  id: z.string().meta({ description: 'The id of the session; its owner is named beside it, and both are needed.' }),
  owner: z.object({ id: z.string(), name: z.string().nullable() }),
  title: z.string().meta({ examples: ['Weekly review'] }),
  shared_at: timestamp.nullable(),
  scope: ShareScope,
  session_url: z.string().meta({ description: 'A page for people that says how to read it.' })
}

export const SharedSessionListItem = z.object(listed).meta({ id: 'SharedSessionListItem' })
export type SharedSessionListItem = z.infer<typeof SharedSessionListItem>

export const SharedSessionListRow = z.object({ ...listed, access: z.literal('shared') }).meta({ id: 'SharedSessionListRow' })
export type SharedSessionListRow = z.infer<typeof SharedSessionListRow>

export const SharedSessionList = z
  .object({
    sessions: z.array(SharedSessionListItem),
    next_cursor: z.string().nullable().meta({ description: 'Pass it back unchanged as `cursor`; null on the last page.' }),
    has_more: z.boolean()
  })
  .meta({ id: 'SharedSessionList' })

const page = LIMITS.sharedPage

export const SharedSessionListQuery = z.object({
  limit: wholeNumber(page.min, page.max)
    .default(page.default)
    .meta({ type: 'integer', pattern: undefined, minimum: page.min, maximum: page.max, description: 'How many sessions to return.' }),
  cursor: z
    .string(once('send the next_cursor of the page before'))
    .optional()
    .meta({ description: 'The `next_cursor` of the page before.' })
})

export const SharedActionItem = z
  .object({
    id: z.string(),
    text: z.string(),
    completed: z.boolean(),
    assignee: z.string().nullable().optional(),
    due_date: z.string().nullable().optional().meta({ format: 'date' }),
    source_start: z
      .number()
      .nullable()
      .optional()
      .meta({ description: 'Where it was said, in seconds; absent where the transcript is not shared.' })
  })
  .meta({ id: 'SharedActionItem' })
export type SharedActionItem = z.infer<typeof SharedActionItem>

export const SharedSessionDetail = z
  .object({
    ...listed,
    timestamp: timestamp.nullable(),
    duration_seconds: z.number(),
    type: z.string(),
    platform: z.string().nullable(),
    status: z.string().nullable().meta({ description: 'One of: processing, completed, failed.' }),
    in_process: z.boolean(),
    summary: z.string().nullable().optional().meta({ description: 'Absent where it is not shared.' }),
    action_items: z.array(SharedActionItem).optional().meta({ description: 'Absent where they are not shared.' })
  })
  .meta({ id: 'SharedSessionDetail' })
export type SharedSessionDetail = z.infer<typeof SharedSessionDetail>

export const SharedTranscriptResponse = z
  .object({
    id: z.string(),
    transcript: z.string(),
    segments: z.array(
      z.object({ speaker: z.string().optional(), start: z.number().optional(), end: z.number().optional(), text: z.string() })
    )
  })
  .meta({ id: 'SharedTranscriptResponse' })
export type SharedTranscriptResponse = z.infer<typeof SharedTranscriptResponse>

export const SharedActionItemsResponse = z
  .object({
    session_id: z.string(),
    action_items: z.array(SharedActionItem),
    version: z.literal(0).meta({ description: 'A shared list is not written, so it has no version.' }),
    updated_at: z.null()
  })
  .meta({ id: 'SharedActionItemsResponse' })

export const SharedMediaResponse = z
  .object({
    kind: z.enum(['audio', 'video']),
    url: z.string(),
    expires_at: timestamp.nullable(),
    external: z.boolean().meta({ description: 'Whether the recording is kept elsewhere.' })
  })
  .meta({ id: 'SharedMediaResponse' })
export type SharedMediaResponse = z.infer<typeof SharedMediaResponse>

export const SessionSharingResponse = z
  .object({
    people: z.array(
      z.object({
        id: z.string(),
        name: z.string().nullable(),
        email: z.string().nullable(),
        shared_at: timestamp.nullable(),
        sources: z.array(z.string()).meta({ description: 'How they came by it: link, invite.' })
      })
    ),
    pending_invites: z.array(
      z.object({
        email: z.string().nullable(),
        sent_at: timestamp.nullable(),
        last_sent_at: timestamp.nullable(),
        send_count: z.number(),
        invite_id: z.string().nullable()
      })
    ),
    link: z.object({ url: z.null().meta({ description: 'Always null: a link is shown when it is made, and only its hash is kept.' }) })
  })
  .meta({ id: 'SessionSharingResponse' })
export type SessionSharingResponse = z.infer<typeof SessionSharingResponse>

const expiresAt = timestamp.meta({ description: `When it can no longer be claimed: ${LIMITS.sharing.linkDays} days from now.` })

export const ShareLink = z.object({ url: z.string(), expires_at: expiresAt }).meta({ id: 'ShareLink' })

/** Nothing is asked of it, so that it may be left out. */
export const ShareLinkCreate = z.object({}, 'send no body, or {}').optional()

export const ShareLinkReset = z
  .strictObject(
    {
      remove_everyone: z
        .boolean('send true or false')
        .optional()
        .meta({ description: 'Whether all who have access lose it, and pending invites end.' })
    },
    { error: objectError('{} or {"remove_everyone": true}') }
  )
  .optional()

export const ShareLinkResetResponse = ShareLink.extend({
  removed: z.number().meta({ description: 'How many recipients lost their access.' })
}).meta({ id: 'ShareLinkReset' })

const someEmails = `send 1 to ${emails} addresses`

export const ShareInvites = z.strictObject(
  {
    emails: z.array(characters(1, email), someEmails).min(1, someEmails).max(emails, someEmails),
    message: characters(0, message).optional().meta({ description: 'Goes into the mail, as plain text.' })
  },
  { error: objectError('{"emails": […]}') }
)
export type ShareInvites = z.infer<typeof ShareInvites>

export const SKIP_REASONS = ['self', 'already_shared', 'already_invited', 'invalid_email'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

export const ShareInvitesResponse = z
  .object({
    sent: z.array(z.string()),
    skipped: z.array(z.object({ email: z.string(), reason: z.string().meta({ description: `Why not: ${SKIP_REASONS.join(', ')}.` }) })),
    expires_at: expiresAt.nullable()
  })
  .meta({ id: 'ShareInvitesResponse' })

export const ShareInviteCancel = z
  .object(
    {
      email: emailAddress.optional(),
      invite_id: characters(1, inviteId).optional().meta({ description: 'Cancels the invite only if it is this one.' })
    },
    'send {"email": …}, or ?email='
  )
  .optional()

export const ShareInviteCancelQuery = z.object({
  email: emailAddress.optional().meta({ description: 'Used where the body names no address.' })
})

export const ShareInviteCancelled = z
  .object({ cancelled: z.boolean().meta({ description: 'False where there was no such invite.' }) })
  .meta({ id: 'ShareInviteCancelled' })

export const ShareRecipientRemoved = z.object({ removed: z.literal(true), id: z.string() }).meta({ id: 'ShareRecipientRemoved' })

/** What to say of a body that is no object; a property too many is named by the words for all bodies. */
function objectError(example: string) {
  return (issue: { code?: string | undefined }) => (issue.code === 'unrecognized_keys' ? undefined : `send ${example}`)
}
