import type { ClaimCreate, Claimed } from '../../contract/admin/share.ts'
import type {
  SharedActionItemsResponse,
  SharedMediaResponse,
  SharedSessionDetail,
  SharedSessionList,
  SharedSessionListQuery
} from '../../contract/sharing.ts'
import type { TranscriptFormat, TranscriptRange } from '../../contract/transcript.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import { cutPage } from '../../platform/core/page.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import type {
  Quoting,
  ShownTranscript,
  TranscriptFile,
  TranscriptPart
} from '../../platform/ports/transcript-writer.ts'
import { operation } from '../access/operation.ts'
import { mediaLinks } from '../library/media-links.ts'
import type { Services } from '../services.ts'
import { openConsoleSession } from '../sign-in/console-sessions.ts'
import { addGuest } from '../sign-in/guests.ts'
import type { Asker } from '../sign-in/link-sender.ts'
import { requestSignIn } from '../sign-in/sign-in.ts'
import {
  claimPlace,
  claimSecret,
  findOffer,
  findSecretPlace,
  isSecret,
  type Offer,
  type SecretPlace,
  secretOf
} from './claim.ts'
import { readPosition, writePosition } from './cursor.ts'
import { findInvitedEmail } from './queries.ts'
import { findSharedMedia } from './recipient-media.ts'
import {
  findSharedActionItems,
  findSharedSession,
  findSharedTranscript,
  selectSharedSessions,
  sessionUrl
} from './recipient-queries.ts'

/** Returns what the holder of a link or an invite may claim. The secret stands for an actor. */
export async function getShareOffer({ db, clock }: Pick<Services, 'db' | 'clock'>, secret: string): Promise<Offer> {
  return (await findOffer(db, secret, clock.now())) ?? throwNotFound('Link')
}

/** Gives the user access to the session of a link or an invite. Repeating it changes nothing. */
export const claimShare = operation(
  'claimShare',
  async (
    { db, clock, publicUrl }: Pick<Services, 'db' | 'clock' | 'publicUrl'>,
    actor,
    { url }: ClaimCreate
  ): Promise<Claimed> => {
    const { ownerId, sessionId } = await claimSecret(db, actor.userId, secretOf(url) ?? '', clock.now())
    return { owner_id: ownerId, session_id: sessionId, session_url: sessionUrl(publicUrl, ownerId, sessionId) }
  }
)

/** Lists sessions that others share with the user, most recently shared first. */
export const listSharedSessions = operation(
  'listSharedSessions',
  async (
    { db, publicUrl }: Pick<Services, 'db' | 'publicUrl'>,
    actor,
    { limit, cursor }: SharedSessionListQuery
  ): Promise<SharedSessionList> => {
    const after = cursor === undefined ? undefined : readPosition(cursor)
    const rows = await selectSharedSessions(db, actor.userId, publicUrl, limit, after)
    const { page, next } = cutPage(rows, limit, ({ position }) => writePosition(position))
    return { sessions: page.map(({ item }) => item), ...next }
  }
)

/** Returns the parts of a session that its owner shares with the user. */
export const getSharedSession = operation(
  'getSharedSession',
  async (
    { db, publicUrl }: Pick<Services, 'db' | 'publicUrl'>,
    actor,
    ownerId: string,
    sessionId: string
  ): Promise<SharedSessionDetail> => {
    return (await findSharedSession(db, actor.userId, ownerId, sessionId, publicUrl)) ?? throwNotFound('Shared session')
  }
)

export const getSharedActionItems = operation(
  'getSharedActionItems',
  async (
    { db }: Pick<Services, 'db'>,
    actor,
    ownerId: string,
    sessionId: string
  ): Promise<SharedActionItemsResponse> => {
    const shared = await findSharedActionItems(db, actor.userId, ownerId, sessionId)
    const { items } = shared ?? throwNotFound('Shared session')
    if (!items) throwNotFound('Shared action items')
    return { session_id: sessionId, action_items: items, version: 0, updated_at: null }
  }
)

/** Returns a link to the audio, or to the video without audio. */
export const getSharedMedia = operation(
  'getSharedMedia',
  async (
    { db, clock, publicUrl, secretKey }: Pick<Services, 'db' | 'clock' | 'publicUrl' | 'secretKey'>,
    actor,
    ownerId: string,
    sessionId: string
  ): Promise<SharedMediaResponse> => {
    const links = mediaLinks({ publicUrl, secretKey })
    const shared = await findSharedMedia(db, actor.userId, ownerId, sessionId, { links, now: clock.now() })
    const { media } = shared ?? throwNotFound('Shared session')
    if (!media) throw new ApiError('media_unavailable', 'The shared session has no recording that is shared')
    return media
  }
)

/** Returns the lines of the transcript of a shared session for a page. Dispose of it when it is read. */
export const showSharedTranscript = operation(
  'getSharedTranscript',
  async (
    { db, writer }: Pick<Services, 'db' | 'writer'>,
    actor,
    ownerId: string,
    sessionId: string
  ): Promise<ShownTranscript> => {
    const { segments } = await loadTranscript(db, actor.userId, ownerId, sessionId)
    return await writer.show({ segments, speaker: '' }, actor)
  }
)

/** Returns the part of a shared transcript that an assistant reads. */
export const quoteSharedTranscript = operation(
  'getSharedTranscript',
  async (
    { db, writer }: Pick<Services, 'db' | 'writer'>,
    actor,
    ownerId: string,
    sessionId: string,
    wanted: Omit<Quoting, 'kind' | 'segments'>
  ): Promise<TranscriptPart> => {
    const { segments } = await loadTranscript(db, actor.userId, ownerId, sessionId)
    return await writer.quote({ segments, ...wanted }, actor.userId)
  }
)

interface FileRequest {
  format: TranscriptFormat | 'json'
  range?: TranscriptRange
  /** The input that names the format, for errors. */
  field?: 'Accept' | 'format'
}

/** Returns a shared transcript as a file, or as JSON, without unknown times and empty speakers. Throws conflict if the format or the range needs times and there are none. */
export const getSharedTranscriptFile = operation(
  'getSharedTranscriptFile',
  async (
    { db, writer }: Pick<Services, 'db' | 'writer'>,
    actor,
    ownerId: string,
    sessionId: string,
    { format, range = {}, field = 'format' }: FileRequest
  ): Promise<TranscriptFile> => {
    const transcript = await loadTranscript(db, actor.userId, ownerId, sessionId)
    const form = format === 'json' ? 'shared json' : format
    const content = await writer.write({ id: sessionId, ...transcript, form, range, field }, actor.userId)
    return { title: transcript.title, content }
  }
)

async function loadTranscript(db: Database, recipientId: string, ownerId: string, sessionId: string) {
  const shared = await findSharedTranscript(db, recipientId, ownerId, sessionId)
  const { title, segments } = shared ?? throwNotFound('Shared session')
  return { title, segments: segments ?? throwNotFound('Shared transcript') }
}

/** The browser that opens an invite or a link: signed in as a user or a guest, or known by a cookie only. */
interface Opener {
  actor: Actor | undefined
  /** True for a guest, who accepts nothing but invites of their own mailbox. */
  guest: boolean
  email: string | null
  asker: Asker
}

/**
 * The outcome of accepting: the session may be read, for a new guest with a new cookie; a link was mailed to the mailbox, which has a user; or the
 * browser has to sign in.
 */
type Accepted =
  | { outcome: 'accepted'; ownerId: string; sessionId: string; cookie?: string }
  | { outcome: 'mailed'; linkId: string }
  | { outcome: 'sign-in' }

/**
 * Accepts a link or an invite from the browser that opened it. A signed-in user accepts either. An invite is also proof of the mailbox it was mailed
 * to: one without a user gets a guest's session, once. A mailbox that has a user signs in by mail, because an invite may have been passed on. A
 * link is nobody's proof.
 */
export async function acceptShare(
  services: Pick<Services, 'db' | 'clock' | 'jobs' | 'mailsLinks' | 'secretKey'>,
  { actor, guest, email, asker }: Opener,
  secret: string
): Promise<Accepted> {
  const { db, clock } = services
  const now = clock.now()
  const place = isSecret(secret) ? await findSecretPlace(db, secret) : undefined
  if (!place) throwNotFound('Link')
  if (actor && !guest) return { outcome: 'accepted', ...(await claimSecret(db, actor.userId, secret, now)) }
  const invited = place.kind === 'invite' ? await findInvited(db, place, now) : undefined
  if (place.kind === 'link') return { outcome: 'sign-in' }
  if (invited === undefined) throwNotFound('Link')
  if (actor && email === invited) return { outcome: 'accepted', ...(await claimSecret(db, actor.userId, secret, now)) }
  const cookie = await claimAsGuest(services, place, invited, now)
  if (cookie !== undefined) return { outcome: 'accepted', ownerId: place.ownerId, sessionId: place.sessionId, cookie }
  if (!services.mailsLinks) return { outcome: 'sign-in' }
  return { outcome: 'mailed', linkId: await requestSignIn(services, asker, { email: invited }) }
}

function findInvited(db: Services['db'], { ownerId, sessionId, hash }: SecretPlace, now: Date) {
  return findInvitedEmail(db, ownerId, sessionId, hash, now)
}

/** Makes the mailbox of an invite a guest that has accepted it, and returns its cookie. Undefined if the mailbox has a user. */
async function claimAsGuest({ db }: Pick<Services, 'db'>, place: SecretPlace, email: string, now: Date) {
  return await db.transaction(async tx => {
    const userId = await addGuest(tx, email, now)
    if (userId === undefined) return undefined
    await claimPlace(tx, userId, place, now)
    return await openConsoleSession(tx, userId, { guest: true, now })
  })
}
