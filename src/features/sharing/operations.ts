import type { SessionShareScope, ShareScopePatch } from '../../contract/admin/share.ts'
import { LIMITS } from '../../contract/limits.ts'
import type {
  SessionSharingResponse,
  ShareInviteCancelled,
  ShareInvites,
  ShareInvitesResponse,
  ShareLink,
  ShareLinkReset,
  ShareLinkResetResponse,
  ShareRecipientRemoved
} from '../../contract/sharing.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import type { Db } from '../../platform/db/open.ts'
import { operation } from '../access/operation.ts'
import type { Needs, Services } from '../services.ts'
import { hashSecret, joinUrl, makeSecret } from './claim.ts'
import { findSharing } from './find-sharing.ts'
import { countShareWrite, inviteAddress } from './invites.ts'
import {
  createLink,
  deactivateGrants,
  deleteInvite,
  deleteLinks,
  deletePendingInvites,
  findInvite,
  findSender,
  findShareScope,
  type Invite,
  lockShare,
  type SessionShare,
  setShareScope,
  throwNotOwner
} from './queries.ts'

const LIFETIME_MS = LIMITS.sharing.linkDays * 86_400_000

/** Returns the recipients of a session who have access, and the pending invites. */
export const getSessionSharing = operation(
  'getSessionSharing',
  async ({ db, clock }: Pick<Services, 'db' | 'clock'>, actor, sessionId: string): Promise<SessionSharingResponse> => {
    const { userId } = actor
    return (await findSharing(db, userId, sessionId, clock.now())) ?? (await throwNotOwner(db, userId, sessionId))
  }
)

/** Creates a link; earlier links stay valid. The URL is returned only here. */
export const createShareLink = operation(
  'createShareLink',
  async (
    { db, clock, publicUrl }: Needs<'db' | 'clock' | 'publicUrl'>,
    actor,
    sessionId: string
  ): Promise<ShareLink> => {
    const { userId } = actor
    return await changeShare({ db, clock }, userId, sessionId, async (tx, share, now) => {
      await requireSender(tx, userId)
      return await addLink(tx, userId, share, publicUrl, now)
    })
  }
)

/** Deletes all links and creates one. With `remove_everyone`, also ends all access and deletes pending invites. */
export const resetShareLink = operation(
  'resetShareLink',
  async (
    { db, clock, publicUrl }: Needs<'db' | 'clock' | 'publicUrl'>,
    actor,
    sessionId: string,
    { remove_everyone: removeEveryone = false }: ShareLinkReset = {}
  ): Promise<ShareLinkResetResponse> => {
    const { userId } = actor
    return await changeShare({ db, clock }, userId, sessionId, async (tx, share, now) => {
      await requireSender(tx, userId)
      await deleteLinks(tx, userId, sessionId)
      if (removeEveryone) await deletePendingInvites(tx, userId, sessionId)
      const removed = removeEveryone ? await deactivateGrants(tx, userId, share) : 0
      const link = await addLink(
        tx,
        userId,
        { ...share, removals: share.removals + Number(removed > 0) },
        publicUrl,
        now
      )
      return { ...link, removed }
    })
  }
)

async function addLink(tx: Db, userId: string, { sessionId, removals }: SessionShare, publicUrl: string, now: Date) {
  const secret = makeSecret()
  const expiresAt = expiryFrom(now)
  await createLink(tx, userId, { sessionId, hash: hashSecret(secret), removals, createdAt: now, expiresAt })
  return { url: joinUrl(publicUrl, secret), expires_at: expiresAt.toISOString() }
}

/** Invites each valid address, and enqueues the mails. */
export const createShareInvites = operation(
  'createShareInvites',
  async (
    { db, clock, jobs, secretKey }: Needs<'db' | 'clock' | 'jobs' | 'secretKey'>,
    actor,
    sessionId: string,
    { emails, message = '' }: ShareInvites
  ): Promise<ShareInvitesResponse> => {
    const { userId } = actor
    const now = clock.now()
    const expiresAt = expiryFrom(now)
    return await db.transaction(async tx => {
      const share = await lockShare(tx, userId, sessionId)
      const sender = await requireSender(tx, userId)
      const invited: Invite[] = []
      const skipped: ShareInvitesResponse['skipped'] = []
      for (const address of emails) {
        const outcome = await inviteAddress(tx, share, { address, message, sender }, { secretKey, now, expiresAt })
        if ('reason' in outcome) skipped.push(outcome)
        else invited.push(outcome)
      }
      for (const { inviteId, sendCount } of invited)
        await jobs.enqueue(tx, 'send-invite', { userId, inviteId, sendCount })
      await countShareWrite(tx, userId, now, invited.length)
      return {
        sent: invited.map(({ email }) => email),
        skipped,
        expires_at: invited.length > 0 ? expiresAt.toISOString() : null
      }
    })
  }
)

/** Deletes the pending invite of an address. Says whether there was one, with the given id if any. */
export const cancelShareInvite = operation(
  'cancelShareInvite',
  async (
    { db, clock }: Needs<'db' | 'clock'>,
    actor,
    sessionId: string,
    { email, inviteId }: { email: string; inviteId: string | undefined }
  ): Promise<ShareInviteCancelled> => {
    const { userId } = actor
    return await changeShare({ db, clock }, userId, sessionId, async (tx, _share, now) => {
      const invite = await findInvite(tx, userId, sessionId, email)
      const pending = invite !== undefined && invite.claimedBy === null && invite.expiresAt > now
      const cancelled = pending && (inviteId === undefined || inviteId === invite.inviteId)
      if (cancelled) await deleteInvite(tx, userId, invite)
      return { cancelled }
    })
  }
)

/** Ends the access of a recipient; earlier links and invites no longer give them access. */
export const removeShareRecipient = operation(
  'removeShareRecipient',
  async (
    { db, clock }: Needs<'db' | 'clock'>,
    actor,
    sessionId: string,
    recipientId: string
  ): Promise<ShareRecipientRemoved> => {
    const { userId } = actor
    return await changeShare({ db, clock }, userId, sessionId, async (tx, share) => {
      const removed = await deactivateGrants(tx, userId, share, recipientId)
      if (removed === 0) throwNotFound('Recipient')
      return { removed: true, id: recipientId }
    })
  }
)

/** Returns the shared parts of a session; by default all. */
export const getShareScope = operation(
  'getShareScope',
  async ({ db }: Pick<Services, 'db'>, actor, sessionId: string): Promise<SessionShareScope> => {
    const scope = (await findShareScope(db, actor.userId, sessionId)) ?? throwNotFound('Session')
    return { session_id: sessionId, scope }
  }
)

/** Changes the given parts, for all recipients. */
export const updateShareScope = operation(
  'updateShareScope',
  async (
    services: Pick<Services, 'db'>,
    actor,
    sessionId: string,
    parts: ShareScopePatch
  ): Promise<SessionShareScope> => {
    // A recipient learns no more here than anyone else, while the lock would tell them that they are one.
    await getShareScope(services, actor, sessionId)
    return await services.db.transaction(async tx => {
      await lockShare(tx, actor.userId, sessionId)
      const scope = (await setShareScope(tx, actor.userId, sessionId, parts)) ?? throwNotFound('Session')
      return { session_id: sessionId, scope }
    })
  }
)

/** Changes who may see a session: with its share locked, and counted as one write of the owner. */
async function changeShare<T>(
  { db, clock }: Needs<'db' | 'clock'>,
  userId: string,
  sessionId: string,
  change: (tx: Db, share: SessionShare, now: Date) => Promise<T>
): Promise<T> {
  const now = clock.now()
  return await db.transaction(async tx => {
    const share = await lockShare(tx, userId, sessionId)
    const changed = await change(tx, share, now)
    await countShareWrite(tx, userId, now)
    return changed
  })
}

/** Sharing needs a verified address, because recipients see it. */
async function requireSender(db: Db, userId: string) {
  const sender = await findSender(db, userId)
  if (!sender?.email) throw new ApiError('account_required', 'Sharing needs an account with an e-mail address')
  if (!sender.emailVerifiedAt) throw new ApiError('sender_unverified', 'Verify your e-mail address before you share')
  return { name: sender.name, email: sender.email }
}

function expiryFrom(now: Date) {
  return new Date(now.getTime() + LIFETIME_MS)
}
