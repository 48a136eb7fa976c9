import { and, desc, eq, gt, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { exports, media, people, sessions, summaries, transcripts } from '../../platform/db/schema/index.ts'

export type ExportRow = typeof exports.$inferSelect

/** Counts the sessions that an export will have, and returns the id of the last one. */
export async function countExported(db: Db, userId: string, since: Date | null) {
  const { rows } = await db.execute<{ total: number; last: string | null }>(sql`
    select count(*)::int as total, max(session_id) as last from sessions
    where user_id = ${userId} and state in ('completed', 'failed') and updated_at >= ${since ?? '-infinity'}::timestamptz`)
  return { total: rows[0]?.total ?? 0, last: rows[0]?.last ?? '' }
}

/** Counts the sessions that no export has: those that are being processed, and the trash. */
export async function countLeftOut(db: Db, userId: string) {
  const { rows } = await db.execute<{ processing: number; trash: number }>(sql`
    select count(*) filter (where state = 'processing')::int as processing, count(*) filter (where state = 'deleted')::int as trash
    from sessions where user_id = ${userId} and state in ('processing', 'deleted')`)
  return rows[0] ?? { processing: 0, trash: 0 }
}

export async function insertExport(tx: Db, userId: string, row: Omit<typeof exports.$inferInsert, 'userId'>) {
  await tx.insert(exports).values({ userId, ...row })
}

export async function findExport(db: Db, userId: string, exportId: string) {
  const [row] = await db.select().from(exports).where(matches(exports, { userId, exportId }))
  return row
}

/** Returns all exports of a user that have not expired, the newest first. */
export async function selectExports(db: Db, userId: string, now: Date) {
  return await db
    .select()
    .from(exports)
    .where(and(eq(exports.userId, userId), gt(exports.expiresAt, now)))
    .orderBy(desc(exports.exportId))
}

/** Writes the progress or the end of an export. Returns false, and writes nothing, unless it is running. */
export async function saveExport(db: Db, userId: string, exportId: string, change: Partial<ExportRow>) {
  const saved = await db
    .update(exports)
    .set(change)
    .where(matches(exports, { userId, exportId, status: 'running' }))
    .returning({ exportId: exports.exportId })
  return saved.length > 0
}

export async function deleteExportRow(db: Db, userId: string, exportId: string) {
  const deleted = await db
    .delete(exports)
    .where(matches(exports, { userId, exportId }))
    .returning({ exportId: exports.exportId })
  return deleted.length > 0
}

/** Names of folders of a session, and of the people who speak in it. */
const FOLDERS = (userId: string) => sql<string[]>`array(
  select d.name from folder_sessions f join folders d on d.user_id = ${userId} and d.folder_id = f.folder_id
  where f.user_id = ${userId} and f.session_id = ${sessions.sessionId} order by d.name_key collate "C")`
const PEOPLE = (userId: string) => sql<string[]>`array(
  select p.name from session_people h join people p on p.user_id = ${userId} and p.person_id = h.person_id
  where h.user_id = ${userId} and h.session_id = ${sessions.sessionId} order by h.talk_seconds desc, p.person_id)`

export type ExportedRow = NonNullable<Awaited<ReturnType<typeof findNextExported>>>

/** Returns the next session of an export in the order of ids, whole as it is at one moment, with its segments as JSON. */
export async function findNextExported(
  db: Db,
  userId: string,
  after: string,
  { lastSession, since }: Pick<ExportRow, 'lastSession' | 'since'>
) {
  const [row] = await db
    .select({
      session: sessions,
      folders: FOLDERS(userId),
      people: PEOPLE(userId),
      segments: sql<string | null>`${transcripts.segments}::text`,
      original: sql<string | null>`${transcripts.original}::text`,
      speakers: transcripts.speakers,
      summary: summaries,
      isShared: sql<boolean>`exists (select from session_shares x where x.user_id = ${userId} and x.session_id = ${sessions.sessionId})`
    })
    .from(sessions)
    .leftJoin(transcripts, and(eq(transcripts.userId, userId), eq(transcripts.sessionId, sessions.sessionId)))
    .leftJoin(summaries, and(eq(summaries.userId, userId), eq(summaries.sessionId, sessions.sessionId)))
    .where(
      and(
        eq(sessions.userId, userId),
        gt(sessions.sessionId, after),
        sql`${sessions.sessionId} <= ${lastSession}`,
        sql`${sessions.state} in ('completed', 'failed')`,
        since === null ? undefined : sql`${sessions.updatedAt} >= ${since}`
      )
    )
    .orderBy(sessions.sessionId)
    .limit(1)
  return row
}

/** Returns the stored recordings of a session. */
export async function selectRecordings(db: Db, userId: string, sessionId: string) {
  return await db
    .select({ kind: media.kind, key: media.key, bytes: media.bytes, contentType: media.contentType })
    .from(media)
    .where(matches(media, { userId, sessionId }))
    .orderBy(media.kind)
}

/** Returns the people of a user that a list shows, and the names of those that were merged into them. */
export async function selectPeople(db: Db, userId: string) {
  const rows = await db
    .select()
    .from(people)
    .where(and(eq(people.userId, userId), sql`${people.nameKey} is not null`))
    .orderBy(people.personId)
  const merged = Map.groupBy(rows, ({ mergedInto }) => mergedInto)
  return (merged.get(null) ?? []).map(({ personId, name, isMe, saved, createdAt, updatedAt }) => ({
    id: personId,
    name,
    is_me: isMe,
    saved,
    also_known_as: (merged.get(personId) ?? []).map(one => one.name),
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString()
  }))
}
