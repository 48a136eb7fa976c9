import { deleteRows } from '../../platform/db/delete-rows.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import type { Services } from '../services.ts'
import { unlistShared } from '../sharing/queries.ts'

type Eraser = Pick<Services, 'jobs'> & { db: Database }

/** The rows, sessions or shares per statement: on the embedded database all others wait for its end. */
const ROWS = 2_000
const SESSIONS = 50
const SHARES = 100

/** Smaller, because deleting a passage scans the embeddings of its owner. */
const PASSAGES = 100

/** The largest tables besides passages and embeddings. */
const LARGE = ['search_terms', 'webhook_attempts', 'webhook_deliveries', 'events', 'event_texts', 'session_changes']

/**
 * Erases everything of a deleted user in small transactions, the user row last; jobs delete recordings. A user who is not deleted is left
 * alone. Safe to interrupt and to repeat.
 */
export async function eraseUser(tools: Eraser, userId: string, signal: AbortSignal) {
  const { db } = tools
  const { rows } = await db.execute(sql`select from users where user_id = ${userId} and deleted_at is not null`)
  if (rows.length === 0) return
  await repeat(signal, () => dropRecordingsOfUser(tools, userId))
  await repeat(signal, () => deleteRows(db, userId, sql`embeddings`, sql`true`, ROWS))
  // Vacuum removes dead index entries, which each deletion of a passage would read. It is optional.
  await db.execute(sql`vacuum embeddings`).catch(() => {})
  await repeat(signal, () => deleteRows(db, userId, sql`passages`, sql`true`, PASSAGES))
  for (const table of LARGE) await repeat(signal, () => deleteRows(db, userId, sql.raw(table), sql`true`, ROWS))
  do {
    await repeat(signal, () => deleteSessions(tools, userId))
    await repeat(signal, () => leaveShares(db, userId))
    await db.execute(
      sql`delete from rate_counters where token_id in (select token_id from tokens where user_id = ${userId})`
    )
    await db.execute(
      sql`delete from rate_days where token_id in (select token_id from tokens where user_id = ${userId})`
    )
    signal.throwIfAborted()
    // A concurrent request may have added a session.
  } while (!(await deleteRest(db, userId)))
}

/** Repeats the step until it changes nothing or the process stops. */
async function repeat(signal: AbortSignal, step: () => Promise<number>) {
  do {
    signal.throwIfAborted()
  } while ((await step()) > 0)
}

async function dropRecordingsOfUser({ db, jobs }: Eraser, userId: string) {
  return await db.transaction(tx =>
    purge(tx, jobs, userId, sql`select session_id from media where user_id = ${userId} limit ${SESSIONS}`)
  )
}

async function deleteSessions({ db, jobs }: Eraser, userId: string) {
  return await db.transaction(async tx => {
    tx.willLock('session')
    const { rows } = await tx.execute<{ id: string }>(sql`
      select session_id as id from sessions where user_id = ${userId} order by session_id limit ${SESSIONS} for update`)
    const ids = sql`select unnest(${sql.param(rows.map(({ id }) => id))}::text[])`
    await purge(tx, jobs, userId, ids)
    await tx.execute(sql`delete from sessions where user_id = ${userId} and session_id in (${ids})`)
    return rows.length
  })
}

async function purge(tx: Db, jobs: Eraser['jobs'], userId: string, sessionIds: SQL) {
  const { rows } = await tx.execute<{ session_id: string; key: string }>(sql`
    delete from media where user_id = ${userId} and session_id in (${sessionIds}) returning session_id, key`)
  for (const { session_id: sessionId, key } of rows) await jobs.enqueue(tx, 'purge-media', { userId, sessionId, key })
  return rows.length
}

/** Removes the user from the sessions that others share with them. */
async function leaveShares(db: Database, recipientId: string) {
  const { rows } = await db.execute<{ user_id: string; session_id: string }>(sql`
    select user_id, session_id from share_grants where recipient_id = ${recipientId}
    union select user_id, session_id from share_invites where claimed_by = ${recipientId} limit ${SHARES}`)
  for (const { user_id, session_id } of rows) await leaveShare(db, recipientId, user_id, session_id)
  return rows.length
}

async function leaveShare(db: Database, recipientId: string, ownerId: string, sessionId: string) {
  await db.transaction(async tx => {
    tx.willLock('share')
    await tx.execute(
      sql`select from session_shares where user_id = ${ownerId} and session_id = ${sessionId} for update`
    )
    const { rows } = await tx.execute<{ hash: Buffer }>(sql`
      delete from share_invites where user_id = ${ownerId} and session_id = ${sessionId} and claimed_by = ${recipientId} returning hash`)
    for (const { hash } of rows) await tx.execute(sql`delete from share_secrets where hash = ${hash}`)
    await tx.execute(
      sql`delete from share_grants where user_id = ${ownerId} and session_id = ${sessionId} and recipient_id = ${recipientId}`
    )
    await unlistShared(tx, ownerId, sessionId, recipientId)
  })
}

/** Deletes the user with the small tables. Returns false if a session was added meanwhile. */
async function deleteRest(db: Database, userId: string) {
  return await db.transaction(async tx => {
    tx.willLock('user')
    // The row lock keeps others from adding rows of this user.
    await tx.execute(sql`select from users where user_id = ${userId} for update`)
    const { rows } = await tx.execute(sql`select from sessions where user_id = ${userId} limit 1`)
    if (rows.length > 0) return false
    for (const table of [
      'token_owners',
      'user_emails',
      'user_identities',
      'user_counters',
      'share_secrets',
      'people',
      'users'
    ])
      await tx.execute(sql`delete from ${sql.raw(table)} where user_id = ${userId}`)
    return true
  })
}
