import { z } from 'zod'
import { characters, flag, pageCursor, pageEnd, pageLimit, pathId, timestamp, warnings } from './common.ts'
import { emailAddress } from './email.ts'
import { LIMITS } from './limits.ts'

/** The parameters of a path. */
export const ownerId = pathId('The id of its owner.', 'usr_01m7x0b5t2e9s8d4qj3mzk6cvw')

const { emails, email, message, inviteId } = LIMITS.sharing

export const ShareScope = z
  .object({ summary: z.boolean(), transcript: z.boolean(), audio: z.boolean(), action_items: z.boolean() })
  .meta({ id: 'ShareScope', description: 'The parts of the session that its owner shares.' })
export type ShareScope = z.infer<typeof ShareScope>

const listed = {
  id: z.string().meta({ description: 'The id of the session. Address it together with the id of its owner.' }),
  owner: z.object({ id: z.string(), name: z.string().nullable() }),
  title: z.string().meta({ examples: ['Weekly review'] }),
  shared_at: timestamp.nullable(),
  scope: ShareScope,
  session_url: z.string().meta({ description: 'A web page that explains how to read the session.' })
}

export const SharedSessionListItem = z.object(listed).meta({ id: 'SharedSessionListItem' })
export type SharedSessionListItem = z.infer<typeof SharedSessionListItem>

export const SharedSessionListRow = z
  .object({ ...listed, access: z.literal('shared') })
  .meta({ id: 'SharedSessionListRow' })
export type SharedSessionListRow = z.infer<typeof SharedSessionListRow>

export const SharedSessionList = z
  .object({
    sessions: z.array(SharedSessionListItem),
    ...pageEnd(z.string())
  })
  .meta({ id: 'SharedSessionList' })
export type SharedSessionList = z.infer<typeof SharedSessionList>

export const SharedSessionListQuery = z.object({
  limit: pageLimit(LIMITS.sharedPage, 'The maximum number of sessions to return.'),
  cursor: pageCursor.optional().meta({ description: 'The `next_cursor` of the previous page.' })
})
export type SharedSessionListQuery = z.output<typeof SharedSessionListQuery>

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
      .meta({ description: 'Seconds into the recording. Absent where the transcript is not shared.' })
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
      z.object({
        speaker: z.string().optional(),
        start: z.number().optional(),
        end: z.number().optional(),
        text: z.string()
      })
    )
  })
  .meta({ id: 'SharedTranscriptResponse' })
export type SharedTranscriptResponse = z.infer<typeof SharedTranscriptResponse>

export const SharedActionItemsResponse = z
  .object({
    session_id: z.string(),
    action_items: z.array(SharedActionItem),
    version: z.literal(0).meta({ description: 'Always 0: recipients cannot write the list.' }),
    updated_at: z.null()
  })
  .meta({ id: 'SharedActionItemsResponse' })
export type SharedActionItemsResponse = z.infer<typeof SharedActionItemsResponse>

export const SharedMediaResponse = z
  .object({
    kind: z.enum(['audio', 'video']),
    url: z.string(),
    expires_at: timestamp.nullable(),
    external: z.boolean().meta({ description: 'Whether another server hosts the recording.' })
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
        sources: z.array(z.string()).meta({ description: 'How the recipient got access: link, invite.' })
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
    link: z.object({
      url: z.null().meta({
        description: 'Always null: the URL is returned once, when the link is created. The server stores only its hash.'
      })
    })
  })
  .meta({ id: 'SessionSharingResponse' })
export type SessionSharingResponse = z.infer<typeof SessionSharingResponse>

const expiresAt = timestamp.meta({
  description: `When the link expires: ${LIMITS.sharing.linkDays} days after its creation.`
})

export const ShareLink = z.object({ url: z.string(), expires_at: expiresAt, warnings }).meta({ id: 'ShareLink' })
export type ShareLink = z.infer<typeof ShareLink>

/** The body is optional and ignored. */
export const ShareLinkCreate = z.object({}, 'no body, or {}').optional()

export const ShareLinkReset = z
  .strictObject(
    {
      remove_everyone: flag
        .optional()
        .meta({ description: 'Whether to revoke the access of every recipient and to cancel pending invites.' })
    },
    { error: objectError('{} or {"remove_everyone": true}') }
  )
  .optional()
export type ShareLinkReset = z.output<typeof ShareLinkReset>

export const ShareLinkResetResponse = ShareLink.extend({
  removed: z.number().meta({ description: 'The number of recipients who lost access.' })
}).meta({ id: 'ShareLinkReset' })
export type ShareLinkResetResponse = z.infer<typeof ShareLinkResetResponse>

const someEmails = `1 to ${emails} addresses`

export const ShareInvites = z.strictObject(
  {
    emails: z.array(characters(1, email), someEmails).min(1, someEmails).max(emails, someEmails),
    message: characters(0, message).optional().meta({ description: 'Plain text that the mail quotes.' })
  },
  { error: objectError('{"emails": […]}') }
)
export type ShareInvites = z.infer<typeof ShareInvites>

const SKIP_REASONS = ['self', 'already_shared', 'already_invited', 'invalid_email'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

export const ShareInvitesResponse = z
  .object({
    sent: z.array(z.string()),
    skipped: z.array(
      z.object({ email: z.string(), reason: z.string().meta({ description: `One of: ${SKIP_REASONS.join(', ')}.` }) })
    ),
    expires_at: expiresAt.nullable()
  })
  .meta({ id: 'ShareInvitesResponse' })
export type ShareInvitesResponse = z.infer<typeof ShareInvitesResponse>

export const ShareInviteCancel = z
  .object(
    {
      email: emailAddress.optional(),
      invite_id: characters(1, inviteId).optional().meta({ description: 'Cancels the invite only if it has this id.' })
    },
    '{"email": …}, or ?email='
  )
  .optional()
export type ShareInviteCancel = z.output<typeof ShareInviteCancel>

export const ShareInviteCancelQuery = z.object({
  email: emailAddress.optional().meta({ description: 'Used if the body names no address.' })
})
export type ShareInviteCancelQuery = z.output<typeof ShareInviteCancelQuery>

export const ShareInviteCancelled = z
  .object({ cancelled: z.boolean().meta({ description: 'False if there was no such invite.' }), warnings })
  .meta({ id: 'ShareInviteCancelled' })
export type ShareInviteCancelled = z.infer<typeof ShareInviteCancelled>

export const ShareRecipientRemoved = z
  .object({ removed: z.literal(true), id: z.string() })
  .meta({ id: 'ShareRecipientRemoved' })
export type ShareRecipientRemoved = z.infer<typeof ShareRecipientRemoved>

/** The error of a body that is not an object. Unknown properties have the error that all bodies share. */
function objectError(example: string) {
  return (issue: { code?: string | undefined }) => (issue.code === 'unrecognized_keys' ? undefined : example)
}

/** The codes of the sharing routes for errors that every route may have. */
export const SHARING_CODES = { service_unavailable: 'sharing_unavailable', internal_error: 'internal' } as const
