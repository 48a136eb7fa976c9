import type { SessionDetail } from '../contract/session.ts'
import { matches } from '../db/matches.ts'
import type { Db } from '../db/open.ts'
import { sessions } from '../db/schema/index.ts'
import { findLastEventType } from '../events/queries.ts'
import { eraseFromEvents, recordEvents } from '../events/record.ts'
import { deleteUnheardPeople, listSessionPeopleIds } from '../people/record-people.ts'
import { dropRecordings } from '../recordings/delete.ts'
import { removeFromIndex } from '../search-index/index-session.ts'
import type { Needs } from '../services.ts'
import { deleteShareLookups } from '../sharing/queries.ts'
import { ERASE_AGAIN_AFTER_SECONDS, eraseAnswers } from '../webhooks/delivery/erase.ts'
import { countSession, touchFolders } from './counters.ts'
import { indexActionItems } from './index-action-items.ts'
import { recordDeletion } from './record-deletion.ts'
import { lockSession, type SessionRow, toSessionDetail, updateSessionRow } from './session-row.ts'

/**
 * Deletes a session permanently, with its transcript, search index, memberships and shares. A job deletes its recordings and repeats until
 * the store confirms. People without a user-given name go with their last session. Events of the session keep their ids but lose their
 * content, as do the responses of webhook receivers. Returns whether there was such a session. With `inTrash`, sessions in the trash count
 * too.
 */
export async function purgeSession(
  { db, jobs, clock }: Needs<'db' | 'jobs' | 'clock'>,
  userId: string,
  sessionId: string,
  { inTrash = false } = {}
) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId, { deleted: inTrash })
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

/**
 * Moves a session to the trash, where only the user and the operator see it; the recorded event is that of a permanent deletion. Repeating it changes
 * nothing. Returns whether there is such a session.
 */
export async function trashSession(db: Db, userId: string, sessionId: string, now: Date) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId, { deleted: true })
    if (!session) return false
    if (session.state === 'deleted') return true
    const announced = await isAnnounced(tx, session)
    // Otherwise it would displace other sessions among the candidates of a search.
    await removeFromIndex(tx, userId, sessionId)
    await touchFolders(tx, userId, sessionId, now)
    if (session.state === 'completed') await countSession(tx, userId, sessionId, -1)
    await updateSessionRow(tx, userId, sessionId, {
      state: 'deleted',
      stateBeforeDeletion: session.state,
      deletedAt: now,
      updatedAt: now
    })
    await indexActionItems(tx, userId, { ...session, state: 'deleted' })
    if (announced) recordEvents(tx, userId, withoutContent(session, now), ['session.deleted'])
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
