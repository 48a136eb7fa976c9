import { desc } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { people, sessionPeople } from '../../platform/db/schema/index.ts'
import type { JobData } from '../../platform/jobs/queues.ts'
import { indexFields } from '../library/index/index-fields.ts'
import { addNameToIndex } from '../library/index/index-name.ts'
import { lockSession, lockSessions } from '../library/session-row.ts'

const SESSIONS_AT_ONCE = 250

/**
 * Makes the sessions of a person findable by their name after a change of it: first adds the new name to all of them, which takes seconds
 * for tens of thousands, then indexes each again without the former name. Safe to interrupt and to repeat.
 */
export async function indexPerson(db: Db, { userId, personId }: JobData['index-person'], signal: AbortSignal) {
  const sessionIds = await listSessionIds(db, userId, personId)
  await addName(db, userId, personId, sessionIds, signal)
  for (const sessionId of sessionIds) {
    if (signal.aborted) return
    await db.transaction(async tx => {
      const session = await lockSession(tx, userId, sessionId)
      if (session?.state === 'completed') await indexFields(tx, userId, session)
    })
  }
}

/**
 * Adds the name to the newest sessions at once, because the one who changed it looks for it at once. The change is committed already and a
 * job follows it, so an error here must not fail the request.
 */
export async function indexNewest(db: Db, userId: string, personId: string) {
  try {
    const sessionIds = await listSessionIds(db, userId, personId)
    await addName(db, userId, personId, sessionIds.slice(0, SESSIONS_AT_ONCE), new AbortController().signal)
  } catch {
    // The job reports an error that lasts.
  }
}

/** Locks a few sessions at a time, so that nobody waits for long. */
async function addName(db: Db, userId: string, personId: string, sessionIds: readonly string[], signal: AbortSignal) {
  for (let at = 0; at < sessionIds.length && !signal.aborted; at += SESSIONS_AT_ONCE) {
    await db.transaction(async tx => {
      const locked = await lockSessions(tx, userId, sessionIds.slice(at, at + SESSIONS_AT_ONCE))
      const [person] = await tx.select({ name: people.name }).from(people).where(matches(people, { userId, personId }))
      if (person) await addNameToIndex(tx, userId, locked, person.name)
    })
  }
}

/** Returns the sessions in which a person speaks, newest first. */
async function listSessionIds(db: Db, userId: string, personId: string) {
  const rows = await db
    .select({ sessionId: sessionPeople.sessionId })
    .from(sessionPeople)
    .where(matches(sessionPeople, { userId, personId }))
    .orderBy(desc(sessionPeople.sortAt))
  return rows.map(({ sessionId }) => sessionId)
}
