import type { SessionDetail } from '../contract/session.ts'
import { and, eq } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { sessions } from '../db/schema/index.ts'
import type { Deps } from '../deps.ts'
import { ERASE_AGAIN_AFTER_SECONDS, eraseAnswers } from '../dispatch/erase.ts'
import { findLastEventType } from '../events/queries.ts'
import { eraseFromEvents, recordEvents } from '../events/record.ts'
import { forgetShares } from '../sharing/queries.ts'
import { removeTerms } from '../terms/queries.ts'
import { detailOf, lockSession, type SessionRow } from './detail.ts'
import { noteDeletion } from './note-deletion.ts'
import { dropRecordings } from './purge.ts'
import { forgetUnheard, listHeard } from './record-people.ts'
import { tallySession, touchFolders } from './tally.ts'

/**
 * Deletes a session with everything said in it: transcript, passages, words, vectors, memberships and shares go with its row, recordings
 * with a job that repeats until the store has confirmed,
 * people nobody has named go with the last session they were heard in,
 * and the events that told of it keep their place but lose their content, as do the receivers' answers to them. Returns whether there was such a session; with
 * `deleted`, one that waits to be restored counts as there, and its end has been told of before.
 */
export async function deleteSession(
  { db, jobs, clock }: Pick<Deps, 'db' | 'jobs' | 'clock'>,
  userId: string,
  sessionId: string,
  { deleted = false } = {}
) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId, { deleted })
    if (!session) return false
    const remains = withoutContent(session)
    const heard = await listHeard(tx, userId, sessionId)
    const told = await isToldOf(tx, session)
    const now = clock.now()
    await removeTerms(tx, userId, sessionId)
    if (session.state !== 'deleted') await touchFolders(tx, userId, sessionId, now)
    if (session.state === 'completed') await tallySession(tx, userId, sessionId, -1)
    await dropRecordings(tx, jobs, userId, sessionId)
    await forgetShares(tx, userId, sessionId)
    await tx.delete(sessions).where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId)))
    await noteDeletion(tx, userId, sessionId, 'session', now)
    await forgetUnheard(tx, userId, heard)
    await eraseFromEvents(tx, userId, remains)
    const hooked = await eraseAnswers(tx, userId, sessionId)
    if (hooked) await jobs.enqueue(tx, 'erase-answers', { userId, sessionId }, ERASE_AGAIN_AFTER_SECONDS)
    if (told) await recordEvents(tx, userId, [{ type: 'session.deleted', session: remains }])
    return true
  })
}

/** Whether a reader of the events knows of the session: it is completed, or a change was told before it was. */
export async function isToldOf(tx: Db, { userId, sessionId, state }: SessionRow) {
  if (state === 'completed') return true
  const last = await findLastEventType(tx, userId, sessionId)
  return last !== undefined && last !== 'session.deleted'
}

/** What may still be told of a deleted session: which one it was, when, how long and of which kind. */
export function withoutContent(session: SessionRow): SessionDetail {
  const { phone, ...detail } = detailOf(session, [])
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
