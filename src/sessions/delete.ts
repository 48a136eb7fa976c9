import type { SessionDetail } from '../contract/session.ts'
import { matches } from '../db/matches.ts'
import type { Db } from '../db/open.ts'
import { sessions } from '../db/schema/index.ts'
import { findLastEventType } from '../events/queries.ts'
import { eraseFromEvents, recordEvents } from '../events/record.ts'
import { deleteUnheardPeople, listSessionPeopleIds } from '../people/record-people.ts'
import { removeFromIndex } from '../search-index/index-session.ts'
import type { Services } from '../services.ts'
import { deleteShareLookups } from '../sharing/queries.ts'
import { ERASE_AGAIN_AFTER_SECONDS, eraseAnswers } from '../webhooks/delivery/erase.ts'
import { countSession, touchFolders } from './counters.ts'
import { dropRecordings } from './media.ts'
import { recordDeletion } from './record-deletion.ts'
import { lockSession, type SessionRow, toSessionDetail } from './session-row.ts'

/**
 * Deletes a session permanently, with its transcript, search index, memberships and shares. A job deletes its recordings and repeats until
 * the store confirms. People without a user-given name go with their last session. Events of the session keep their ids but lose their
 * content, as do the responses of webhook receivers. Returns whether there was such a session. With `deleted`, sessions in the trash count
 * too.
 */
export async function deleteSession(
  { db, jobs, clock }: Pick<Services, 'db' | 'jobs' | 'clock'>,
  userId: string,
  sessionId: string,
  { deleted = false } = {}
) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId, { deleted })
    if (!session) return false
    const now = clock.now()
    const erased = withoutContent(session, now)
    const personIds = await listSessionPeopleIds(tx, userId, sessionId)
    const announced = await isAnnounced(tx, session)
    await deleteShareLookups(tx, userId, sessionId)
    await removeFromIndex(tx, userId, sessionId)
    if (session.state !== 'deleted') await touchFolders(tx, userId, sessionId, now)
    if (session.state === 'completed') await countSession(tx, userId, sessionId, -1)
    await dropRecordings(tx, jobs, userId, sessionId)
    await tx.delete(sessions).where(matches(sessions, { userId, sessionId }))
    await recordDeletion(tx, userId, sessionId, 'session', now)
    await deleteUnheardPeople(tx, userId, personIds)
    await eraseFromEvents(tx, userId, erased)
    const hasResponses = await eraseAnswers(tx, userId, sessionId)
    if (hasResponses) await jobs.enqueue(tx, 'erase-answers', { userId, sessionId }, ERASE_AGAIN_AFTER_SECONDS)
    if (announced) recordEvents(tx, userId, erased, ['session.deleted'])
    return true
  })
}

/** Returns whether readers of the feed know the session: it is completed, or its last event is not its deletion. */
export async function isAnnounced(tx: Db, { userId, sessionId, state }: SessionRow) {
  if (state === 'completed') return true
  const last = await findLastEventType(tx, userId, sessionId)
  return last !== undefined && last !== 'session.deleted'
}

/** Removes the content of a session that is deleted at `updatedAt`; id, time, length and type remain. */
export function withoutContent(session: SessionRow, updatedAt: Date): SessionDetail {
  const { phone, status: _, failure_reason: __, ...detail } = toSessionDetail({ ...session, updatedAt }, [])
  return {
    ...detail,
    title: '',
    ...(phone && { phone: { ...phone, to_number: null, from_number: null, contact_name: null } }),
    language: null,
    summary: null,
    notes: null,
    tags: [],
    favorite: false,
    action_items: []
  }
}
