import { and, eq, isNotNull, isNull, sql } from '../../../platform/db/drizzle.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Database, Db } from '../../../platform/db/open.ts'
import { type PartTranscript, transcriptParts } from '../../../platform/db/schema/index.ts'
import { recordProgress } from '../../library/record-progress.ts'
import type { Stretch } from './plan.ts'

export interface Part extends Stretch {
  /** Null until the part is transcribed. */
  transcript: PartTranscript | null
}

/** The parts of a recording that is transcribed in parts, in order. */
export async function listParts(db: Db, userId: string, sessionId: string): Promise<Part[]> {
  return await db
    .select({
      startMs: transcriptParts.startMs,
      endMs: transcriptParts.endMs,
      transcript: transcriptParts.transcript
    })
    .from(transcriptParts)
    .where(matches(transcriptParts, { userId, sessionId }))
    .orderBy(transcriptParts.startMs)
}

/** Plans the parts of a recording, unless another server has done so. */
export async function insertParts(db: Database, userId: string, sessionId: string, stretches: readonly Stretch[]) {
  await db.transaction(async tx => {
    const known = await listParts(tx, userId, sessionId)
    if (known.length > 0) return
    await tx
      .insert(transcriptParts)
      .values(stretches.map(stretch => ({ userId, sessionId, ...stretch })))
      .onConflictDoNothing()
  })
}

/** Replaces a part that the server refuses by smaller ones. */
export async function splitPart(
  db: Database,
  userId: string,
  sessionId: string,
  { startMs }: Stretch,
  stretches: readonly Stretch[]
) {
  await db.transaction(async tx => {
    const replaced = await tx
      .delete(transcriptParts)
      .where(
        and(
          matches(transcriptParts, { userId, sessionId }),
          eq(transcriptParts.startMs, startMs),
          isNull(transcriptParts.transcript)
        )
      )
      .returning({ startMs: transcriptParts.startMs })
    if (replaced.length > 0)
      await tx.insert(transcriptParts).values(stretches.map(stretch => ({ userId, sessionId, ...stretch })))
  })
}

/** Keeps the transcript of a part, and how much of the recording is done. */
export async function savePart(
  db: Database,
  userId: string,
  sessionId: string,
  { startMs }: Stretch,
  transcript: PartTranscript
) {
  await db.transaction(async tx => {
    await tx
      .update(transcriptParts)
      .set({ transcript })
      .where(and(matches(transcriptParts, { userId, sessionId }), eq(transcriptParts.startMs, startMs)))
    await recordProgress(tx, userId, sessionId, { progress: await measureDone(tx, userId, sessionId), waiting: null })
  })
}

/** Returns how much of a recording is transcribed, in whole hundredths. Reads no transcript. */
async function measureDone(tx: Db, userId: string, sessionId: string) {
  const length = sql`(${transcriptParts.endMs} - ${transcriptParts.startMs})`
  const [measured] = await tx
    .select({
      done: sql<number>`coalesce(sum(${length}) filter (where ${isNotNull(transcriptParts.transcript)}), 0)::float8`,
      all: sql<number>`coalesce(sum(${length}), 0)::float8`
    })
    .from(transcriptParts)
    .where(matches(transcriptParts, { userId, sessionId }))
  const { done = 0, all = 0 } = measured ?? {}
  return Math.floor((done / Math.max(1, all)) * 100) / 100
}

/** Removes the parts once the whole transcript is kept. */
export async function deleteParts(db: Db, userId: string, sessionId: string) {
  await db.delete(transcriptParts).where(matches(transcriptParts, { userId, sessionId }))
}
