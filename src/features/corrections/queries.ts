import { and, sql } from '../../platform/db/drizzle.ts'
import { isAnyOf, matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { transcripts, unknownSpeakers } from '../../platform/db/schema/index.ts'
import type { Speaker } from '../../platform/ports/corrected-transcript.ts'

/** Returns the version of a transcript; 0 without one. */
export async function findVersion(tx: Db, userId: string, sessionId: string) {
  const [row] = await tx
    .select({ version: transcripts.version })
    .from(transcripts)
    .where(matches(transcripts, { userId, sessionId }))
  return row?.version ?? 0
}

interface NewSegments {
  json: string
  bytes: number
  /** How many more bytes these are than before. */
  grownBy: number
}

/** Writes corrected segments, and keeps those before the first correction. Returns by how many bytes the stored transcript has grown. */
export async function saveCorrection(tx: Db, userId: string, sessionId: string, { json, bytes, grownBy }: NewSegments) {
  const { rows } = await tx.execute<{ grown_by: number }>(sql`
    update transcripts t set segments = ${json}::jsonb, original = coalesce(before.original, before.segments), version = before.version + 1,
      strip = null, bytes = greatest(0, before.bytes + before.grown_by)
    from (
      select segments, original, version, bytes, case when original is null then ${bytes}::int else ${grownBy}::int end as grown_by
      from transcripts where user_id = ${userId} and session_id = ${sessionId}
    ) before
    where t.user_id = ${userId} and t.session_id = ${sessionId} returning before.grown_by`)
  return rows[0]?.grown_by ?? 0
}

/** Takes out statements of the source about speakers who say nothing any more. */
export async function saveSpeakers(tx: Db, userId: string, sessionId: string, speakers: readonly Speaker[]) {
  await tx
    .update(transcripts)
    .set({ speakers: [...speakers] })
    .where(matches(transcripts, { userId, sessionId }))
}

export async function findSpeakers(tx: Db, userId: string, sessionId: string) {
  const [row] = await tx
    .select({ speakers: transcripts.speakers })
    .from(transcripts)
    .where(matches(transcripts, { userId, sessionId }))
  return row?.speakers ?? []
}

/** Replaces labels that a person of this name, once there is one, is matched with. */
export async function replaceUnknown(tx: Db, userId: string, sessionId: string, gone: string[], added: string[]) {
  const isGone = and(matches(unknownSpeakers, { userId, sessionId }), isAnyOf(unknownSpeakers.nameKey, gone))
  if (gone.length > 0) await tx.delete(unknownSpeakers).where(isGone)
  if (added.length === 0) return
  await tx
    .insert(unknownSpeakers)
    .values(added.map(nameKey => ({ userId, sessionId, nameKey })))
    .onConflictDoNothing()
}
