import { LIMITS } from '../../../contract/limits.ts'
import { and, eq, gt, sql } from '../../../platform/db/drizzle.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/open.ts'
import { uploads } from '../../../platform/db/schema/index.ts'

export type UploadRow = typeof uploads.$inferSelect

/** Inserts an upload, unless the user has as many unfinished ones as the limit says. Returns whether it did. */
export async function insertUpload(
  tx: Db,
  userId: string,
  {
    uploadId,
    name,
    metadata,
    bytes,
    isDeferred,
    expiresAt
  }: Pick<UploadRow, 'uploadId' | 'name' | 'metadata' | 'bytes' | 'isDeferred' | 'expiresAt'>,
  now: Date
) {
  const { rows } = await tx.execute(sql`
    insert into uploads (user_id, upload_id, name, metadata, bytes, is_deferred, created_at, expires_at)
    select ${userId}, ${uploadId}, ${name}, ${metadata}, ${bytes}::bigint, ${isDeferred}::boolean, ${now}::timestamptz, ${expiresAt}::timestamptz
    where ${LIMITS.partialUploads.perUser}::int > (
      select count(*) from uploads u where u.user_id = ${userId} and u.session_id is null and u.expires_at > ${now})
    returning upload_id`)
  return rows.length > 0
}

export async function findUpload(db: Db, userId: string, uploadId: string, now: Date): Promise<UploadRow | undefined> {
  const [row] = await db
    .select()
    .from(uploads)
    .where(and(matches(uploads, { userId, uploadId }), gt(uploads.expiresAt, now)))
  return row
}

/** Writes the length of an upload, or the room that it has taken so far. Returns whether the request still has its lease. */
export async function saveLength(
  tx: Db,
  userId: string,
  uploadId: string,
  lease: string,
  length: Pick<UploadRow, 'bytes' | 'isDeferred'>
) {
  const saved = await tx
    .update(uploads)
    .set(length)
    .where(and(matches(uploads, { userId, uploadId }), eq(uploads.lease, lease)))
    .returning({ uploadId: uploads.uploadId })
  return saved.length > 0
}

/** Deletes an upload. Returns it if it was there. */
export async function deleteUpload(tx: Db, userId: string, uploadId: string): Promise<UploadRow | undefined> {
  const [row] = await tx.delete(uploads).where(matches(uploads, { userId, uploadId })).returning()
  return row
}

/** Names the session of an upload. Returns false if the request has lost its lease, or the session was deleted meanwhile. */
export async function nameSession(tx: Db, userId: string, uploadId: string, lease: string, sessionId: string) {
  const { rows } = await tx.execute(sql`
    with kept as (
      select session_id from sessions where user_id = ${userId} and session_id = ${sessionId} for key share)
    update uploads set session_id = kept.session_id from kept
    where uploads.user_id = ${userId} and upload_id = ${uploadId} and lease = ${lease} and uploads.session_id is null
    returning upload_id`)
  return rows.length > 0
}

/**
 * Takes the lease of an upload for some seconds, if nobody has it. Returns whether it did. The clock is that of the statement, because Citus refuses a
 * volatile function in an UPDATE of a distributed table.
 */
export async function takeLease(db: Db, userId: string, uploadId: string, lease: string, seconds: number) {
  const { rows } = await db.execute(sql`
    update uploads set lease = ${lease}, leased_until = statement_timestamp() + ${seconds} * interval '1 second', is_wanted = false
    where user_id = ${userId} and upload_id = ${uploadId} and (lease is null or leased_until < statement_timestamp())
    returning upload_id`)
  return rows.length > 0
}

/** Asks the request that has the lease to end. */
export async function wantLease(db: Db, userId: string, uploadId: string) {
  await db.update(uploads).set({ isWanted: true }).where(matches(uploads, { userId, uploadId }))
}

/** Renews a lease. Returns undefined if it is lost, and otherwise whether another request wants it. */
export async function renewLease(db: Db, userId: string, uploadId: string, lease: string, seconds: number) {
  const { rows } = await db.execute<{ is_wanted: boolean }>(sql`
    update uploads set leased_until = statement_timestamp() + ${seconds} * interval '1 second'
    where user_id = ${userId} and upload_id = ${uploadId} and lease = ${lease} returning is_wanted`)
  return rows[0]?.is_wanted
}

export async function endLease(db: Db, userId: string, uploadId: string, lease: string) {
  await db
    .update(uploads)
    .set({ lease: null, leasedUntil: null })
    .where(and(matches(uploads, { userId, uploadId }), eq(uploads.lease, lease)))
}
