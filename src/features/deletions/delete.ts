import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { sessions } from '../../platform/db/schema/index.ts'
import { eraseKeyedAnswers } from '../access/idempotency-keys.ts'
import { eraseFromEvents } from '../events/record.ts'
import { leaveLibrary, withoutContent } from '../library/enter-and-leave.ts'
import { type Deleting, recordDeletion } from '../library/record-deletion.ts'
import { deleteUnheardPeople, listSessionPeopleIds } from '../library/record-people.ts'
import { lockSession, updateSessionRow } from '../library/session-row.ts'
import { dropRecordings } from '../recordings/delete.ts'
import type { Needs } from '../services.ts'
import { deleteShareLookups } from '../sharing/queries.ts'
import { deleteTranscript } from '../transcripts/queries.ts'
import { ERASE_AGAIN_AFTER_SECONDS, eraseAnswers } from '../webhooks/delivery/erase.ts'

interface Purge extends Deleting {
  /** Whether a session in the trash counts too. */
  inTrash?: boolean
}

/**
 * Deletes a session permanently, with its transcript, search index, memberships and shares. A job deletes its recordings and repeats until
 * the store confirms. People without a user-given name go with their last session. Events of the session keep their ids but lose their
 * content, as do the responses of webhook receivers. Returns whether there was such a session, and `onlyIf` did not refuse it.
 */
export async function purgeSession(
  { db, jobs, clock }: Needs<'db' | 'jobs' | 'clock'>,
  userId: string,
  sessionId: string,
  { by, inTrash = false, onlyIf }: Purge
) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId, { deleted: inTrash })
    if (!session || (onlyIf && !(await onlyIf(tx, session)))) return false
    const now = clock.now()
    const personIds = await listSessionPeopleIds(tx, userId, sessionId)
    await deleteShareLookups(tx, userId, sessionId)
    await leaveLibrary(tx, session, now)
    await dropRecordings(tx, jobs, userId, sessionId)
    await deleteTranscript(tx, userId, sessionId)
    await tx.delete(sessions).where(matches(sessions, { userId, sessionId }))
    await recordDeletion(tx, userId, sessionId, { what: 'session', by, deletedAt: now })
    await deleteUnheardPeople(tx, userId, personIds)
    await eraseFromEvents(tx, userId, withoutContent(session, now))
    await eraseKeyedAnswers(tx, userId, sessionId)
    const hasResponses = await eraseAnswers(tx, userId, sessionId)
    if (hasResponses) await jobs.enqueue(tx, 'erase-answers', { userId, sessionId }, ERASE_AGAIN_AFTER_SECONDS)
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
    await leaveLibrary(tx, session, now)
    await updateSessionRow(tx, userId, sessionId, {
      state: 'deleted',
      stateBeforeDeletion: session.state,
      deletedAt: now,
      updatedAt: now
    })
    return true
  })
}
