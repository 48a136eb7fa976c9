import type { SessionDetail } from '../contract/session.ts'
import { and, eq } from '../db/drizzle.ts'
import { sessions } from '../db/schema/index.ts'
import type { Deps } from '../deps.ts'
import { eraseFromEvents, recordEvents } from '../events/record.ts'
import { forgetShares } from '../sharing/queries.ts'
import { removeTerms } from '../terms/queries.ts'
import { detailOf, lockSession, type SessionRow } from './detail.ts'
import { noteDeletion } from './note-deletion.ts'
import { dropRecordings } from './purge.ts'
import { forgetUnheard, listHeard } from './record-people.ts'
import { tallySession } from './tally.ts'

/**
 * Deletes a session with everything said in it: transcript, passages, words, vectors, memberships and shares go with its row, recordings
 * with a job that repeats until the store has confirmed,
 * people nobody has named go with the last session they were heard in,
 * and the events that told of it keep their place but lose their content. Returns whether there was such a session; with
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
    await removeTerms(tx, userId, sessionId)
    if (session.state === 'completed') await tallySession(tx, userId, sessionId, -1)
    await dropRecordings(tx, jobs, userId, sessionId)
    await forgetShares(tx, userId, sessionId)
    await tx.delete(sessions).where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId)))
    await noteDeletion(tx, userId, sessionId, 'session', clock.now())
    await forgetUnheard(tx, userId, heard)
    await eraseFromEvents(tx, userId, remains)
    if (session.state === 'completed') await recordEvents(tx, userId, [{ type: 'session.deleted', session: remains }])
    return true
  })
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
