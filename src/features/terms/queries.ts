import { throwNotFound } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { termApplications, terms } from '../../platform/db/schema/index.ts'
import { lockUser } from '../library/queries.ts'

export type TermRow = typeof terms.$inferSelect

/** Returns all terms of a user, the oldest first. */
export async function selectTerms(db: Db, userId: string) {
  return await db.select().from(terms).where(eq(terms.userId, userId)).orderBy(terms.termId)
}

/** Locks the terms of a user against changes by others. Whoever changes them holds this lock. */
export async function lockTerms(tx: Db, userId: string) {
  await lockUser(tx, userId)
  return await selectTerms(tx, userId)
}

export async function findTerm(db: Db, userId: string, termId: string) {
  const [row] = await db.select().from(terms).where(matches(terms, { userId, termId }))
  return row
}

export async function insertTerm(
  tx: Db,
  userId: string,
  { heard, meant, now }: Pick<TermRow, 'heard' | 'meant'> & { now: Date }
) {
  const row = { termId: newId('trm'), heard, meant, createdAt: now, updatedAt: now }
  await tx.insert(terms).values({ userId, ...row })
  return { userId, ...row }
}

/** Writes a changed term. Its time of change always rises. */
export async function saveTerm(tx: Db, userId: string, termId: string, change: Partial<TermRow>, now: Date) {
  tx.willLock('term')
  const [row] = await tx
    .update(terms)
    .set({
      ...change,
      updatedAt: sql`greatest(${now.toISOString()}::timestamptz, ${terms.updatedAt} + interval '1 millisecond')`
    })
    .where(matches(terms, { userId, termId }))
    .returning()
  return row
}

/** Returns whether there was such a term. Its application ends with it. */
export async function deleteTermRow(db: Db, userId: string, termId: string) {
  const deleted = await db.delete(terms).where(matches(terms, { userId, termId })).returning({ termId: terms.termId })
  return deleted.length > 0
}

export type ApplicationRow = typeof termApplications.$inferSelect

export async function findApplication(db: Db, userId: string, termId: string) {
  const [row] = await db.select().from(termApplications).where(matches(termApplications, { userId, termId }))
  return row
}

/** Writes a new application of a term in place of the last one. */
export async function replaceApplication(
  tx: Db,
  userId: string,
  row: Omit<typeof termApplications.$inferInsert, 'userId'>
) {
  await tx.delete(termApplications).where(matches(termApplications, { userId, termId: row.termId }))
  const inserted = await tx
    .insert(termApplications)
    .values({ userId, ...row })
    .returning()
  return inserted[0] ?? throwNotFound('Term')
}

/** Counts the sessions of a user that have or will have a transcript, and returns the id of the last one. */
export async function countSessions(db: Db, userId: string) {
  const { rows } = await db.execute<{ total: number; last: string | null }>(sql`
    select count(*)::int as total, max(session_id) as last from sessions where user_id = ${userId} and state <> 'deleted'`)
  return { total: rows[0]?.total ?? 0, last: rows[0]?.last ?? '' }
}

/** Returns the next sessions of an application, in the order of ids. */
export async function selectSessionsAfter(
  db: Db,
  userId: string,
  { position, lastSession }: Pick<ApplicationRow, 'position' | 'lastSession'>,
  limit: number
) {
  const { rows } = await db.execute<{ id: string }>(sql`
    select session_id as id from sessions
    where user_id = ${userId} and state <> 'deleted' and session_id > ${position} and session_id <= ${lastSession}
    order by session_id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/**
 * Writes how far an application has come. Returns false, and writes nothing, if it has ended or another process has gone on with it: what it
 * counts has to be rolled back then.
 */
export async function saveProgress(
  tx: Db,
  userId: string,
  { termId, applicationId, position }: ApplicationRow,
  change: Partial<ApplicationRow>
) {
  tx.willLock('term')
  const updated = await tx
    .update(termApplications)
    .set(change)
    .where(matches(termApplications, { userId, termId, applicationId, position, status: 'running' }))
    .returning({ termId: termApplications.termId })
  return updated.length > 0
}
