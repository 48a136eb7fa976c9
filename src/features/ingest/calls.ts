import { CALL_TRANSITIONS, type CallCreate, type CallState } from '../../contract/admin/call.ts'
import type { AdminSession } from '../../contract/admin/session.ts'
import { toDate } from '../../contract/instant.ts'
import type { PackedCallPatch } from '../../contract/packed-document.ts'
import { isUrl } from '../../contract/recording.ts'
import { ApiError, invalid, throwNotFound } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import { operation } from '../access/operation.ts'
import { limitsFor, takeRoom } from '../access/room.ts'
import { findAdminSession } from '../library/admin-sessions.ts'
import { FAILURES } from '../library/failure-reason.ts'
import { recordCreation, recordFailure } from '../library/record-change.ts'
import { hasTranscript, lockSession, type SessionRow, updateSessionRow } from '../library/session-row.ts'
import type { Needs } from '../services.ts'
import { toSpeakers, urlOrNull } from './document-fields.ts'
import { loadPhoneMetadata } from './phone-metadata.ts'
import { findByExternalId, insertSession, insertTranscript, putInFolders } from './queries.ts'

/** Creates a session for a starting call; it is processing until the call has ended and its content is known. */
export const startCall = operation(
  'startCall',
  async (
    { db, clock, quotas }: Needs<'db' | 'clock' | 'quotas'>,
    actor,
    sent: CallCreate
  ): Promise<{ session: AdminSession; created: boolean }> => {
    const { userId } = actor
    const now = clock.now()
    const taking = { limits: limitsFor({ quotas }, actor), now }
    const { external_id: externalId = null, direction, status, to_number, from_number, provider, contact_name } = sent
    const phone = await loadPhoneMetadata(db, userId, {
      direction,
      status,
      ongoing: true,
      to_number,
      from_number,
      provider,
      contact_name
    })
    const sessionId = newId('ses')
    return await db.transaction(async tx => {
      const sortAt = await insertSession(tx, userId, {
        sessionId,
        externalId,
        phone,
        state: 'processing',
        type: 'phone',
        durationSeconds: 0,
        title: sent.title ?? (contact_name === null ? 'Phone call' : `Call with ${contact_name}`),
        timestamp: sent.timestamp === undefined ? now : toDate(sent.timestamp),
        platform: sent.platform,
        createdAt: now,
        updatedAt: now
      })
      if (sortAt === undefined) {
        const known = externalId === null ? undefined : await findByExternalId(tx, userId, externalId)
        return { session: await getCall(tx, userId, known?.sessionId ?? sessionId), created: false }
      }
      takeRoom(tx, userId, 'sessions_per_day', 1, taking)
      await putInFolders(tx, userId, { sessionId, sortAt, type: 'phone' }, sent.folders ?? [], taking)
      return { session: (await recordCreation(tx, userId, sessionId)) ?? throwNotFound('Call'), created: true }
    })
  }
)

async function getCall(db: Db, userId: string, sessionId: string) {
  return (await findAdminSession(db, userId, sessionId)) ?? throwNotFound('Call')
}

/**
 * Changes the status of a call. An ended call is processed if it was completed or has content; otherwise its session fails. The current
 * status changes nothing. Throws conflict for an impossible status, and for an imported call.
 */
export const updateCall = operation(
  'updateCall',
  async (
    { db, ...services }: Needs<'db' | 'jobs' | 'clock' | 'quotas'>,
    actor,
    sessionId: string,
    sent: PackedCallPatch
  ): Promise<AdminSession> => {
    const { userId } = actor
    for (const kind of ['audio', 'video'] as const) {
      if (sent.media?.[kind] && !isUrl(sent.media[kind]))
        throw invalid({ field: `media.${kind}`, expected: 'an http(s) URL' })
    }
    return await db.transaction(async tx => {
      await move(tx, services, actor, sessionId, sent)
      return await getCall(tx, userId, sessionId)
    })
  }
)

async function move(
  tx: Db,
  { jobs, clock, quotas }: Needs<'jobs' | 'clock' | 'quotas'>,
  actor: Actor,
  sessionId: string,
  sent: PackedCallPatch
) {
  const { userId } = actor
  const session = await lockSession(tx, userId, sessionId)
  if (!session?.phone) throwNotFound('Call')
  if (session.phone.status === sent.status) return
  refuseUnreachable(session.phone.status, sent.status)
  if (await hasTranscript(tx, userId, sessionId))
    throw new ApiError('conflict', 'The call was imported with its transcript, so it has ended')
  const ended = CALL_TRANSITIONS[sent.status].length === 0
  const phone = {
    ...session.phone,
    status: sent.status,
    ongoing: !ended,
    ...(sent.contact_name !== undefined && { contact_name: sent.contact_name })
  }
  const processed = ended && (sent.status === 'completed' || hasContent(sent))
  const change = { phone, updatedAt: clock.now(), ...(ended && endOf(session, sent)) }
  if (ended && !processed) {
    await recordFailure(tx, userId, session, {
      ...change,
      failure: sent.status === 'missed' ? FAILURES.missedCall : FAILURES.failedCall
    })
    return
  }
  await updateSessionRow(tx, userId, sessionId, change)
  if (!ended) return
  const taking = { limits: limitsFor({ quotas }, actor), now: change.updatedAt, field: 'segments' }
  const { transcript } = sent
  await insertTranscript(tx, userId, sessionId, { transcript, speakers: toSpeakers(sent) }, taking)
  await jobs.enqueue(tx, 'process-session', { userId, sessionId })
}

function refuseUnreachable(from: CallState | null, to: CallState) {
  if (from !== null && CALL_TRANSITIONS[from].includes(to)) return
  throw new ApiError('conflict', `a call that is ${from ?? 'without a status'} cannot become ${to}`, {
    field: 'status'
  })
}

function hasContent({ transcript, media }: PackedCallPatch) {
  return Boolean(transcript.length > 0 || media?.audio || media?.video)
}

function endOf(session: SessionRow, { duration_seconds: seconds, transcript, language, media }: PackedCallPatch) {
  return {
    durationSeconds: seconds ?? transcript.seconds,
    language: language ?? session.language,
    audioUrl: urlOrNull(media?.audio),
    videoUrl: urlOrNull(media?.video)
  }
}
