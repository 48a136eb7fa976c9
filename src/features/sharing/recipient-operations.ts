import type { ClaimCreate, Claimed } from '../../contract/admin/share.ts'
import type {
  SharedActionItemsResponse,
  SharedMediaResponse,
  SharedSessionDetail,
  SharedSessionList,
  SharedSessionListQuery,
  SharedTranscriptResponse
} from '../../contract/sharing.ts'
import type { TranscriptFormat, TranscriptRange } from '../../contract/transcript.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import { cutPage } from '../../platform/core/page.ts'
import type { Database } from '../../platform/db/database.ts'
import type { WrittenTranscript } from '../../platform/ports/transcript-writer.ts'
import { readSegments } from '../../platform/text/segment.ts'
import { operation } from '../access/operation.ts'
import { mediaLinks } from '../library/media-links.ts'
import type { Services } from '../services.ts'
import { loadSegments } from '../transcripts/stored-segments.ts'
import { toSharedTranscript } from '../transcripts/transcript-file.ts'
import { claimSecret } from './claim.ts'
import { readPosition, writePosition } from './cursor.ts'
import { findOffer, type Offer } from './lookup.ts'
import { findSharedMedia } from './recipient-media.ts'
import {
  findSharedActionItems,
  findSharedSession,
  findSharedTranscript,
  selectSharedSessions,
  sessionUrl
} from './recipient-queries.ts'
import { secretOf } from './secret.ts'

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

/** Returns the transcript of a shared session within a range of times, without unknown times and empty speakers. */
export const getSharedTranscript = operation(
  'getSharedTranscript',
  async (
    { db }: Pick<Services, 'db'>,
    actor,
    ownerId: string,
    sessionId: string,
    range: TranscriptRange = {}
  ): Promise<SharedTranscriptResponse> => {
    const transcript = await loadTranscript(db, actor.userId, ownerId, sessionId)
    return { id: sessionId, ...toSharedTranscript(readSegments(await loadSegments(transcript.segments)), range) }
  }
)

interface FileRequest {
  format: TranscriptFormat | 'json'
  range?: TranscriptRange
  /** The input that names the format, for errors. */
  field?: 'Accept' | 'format'
}

/** Returns a shared transcript as a file, or as the JSON of `getSharedTranscript`. Throws conflict if the format or the range needs times and there are none. */
export const getSharedTranscriptFile = operation(
  'getSharedTranscriptFile',
  async (
    { db, writer }: Pick<Services, 'db' | 'writer'>,
    actor,
    ownerId: string,
    sessionId: string,
    { format, range = {}, field = 'format' }: FileRequest
  ): Promise<WrittenTranscript> => {
    const transcript = await loadTranscript(db, actor.userId, ownerId, sessionId)
    const form = format === 'json' ? 'shared json' : format
    return await writer.write({ id: sessionId, ...transcript, form, range, field }, actor.userId)
  }
)

async function loadTranscript(db: Database, recipientId: string, ownerId: string, sessionId: string) {
  const shared = await findSharedTranscript(db, recipientId, ownerId, sessionId)
  const { title, segments } = shared ?? throwNotFound('Shared session')
  return { title, segments: segments ?? throwNotFound('Shared transcript') }
}
