import { and, eq, isNull } from '../../db/drizzle.ts'
import { matches } from '../../db/matches.ts'
import type { Database, Db } from '../../db/open.ts'
import { type PartTranscript, transcriptParts } from '../../db/schema/index.ts'
import { recordProgress } from '../../sessions/record-progress.ts'
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
    const parts = await listParts(tx, userId, sessionId)
    await recordProgress(tx, userId, sessionId, { progress: doneOf(parts), waiting: null })
  })
}

function doneOf(parts: readonly Part[]) {
  const lengthOf = (some: readonly Part[]) => some.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
  const done = lengthOf(parts.filter(({ transcript }) => transcript !== null))
  return Math.floor((done / Math.max(1, lengthOf(parts))) * 100) / 100
}

/** Removes the parts once the whole transcript is kept. */
export async function deleteParts(db: Db, userId: string, sessionId: string) {
  await db.delete(transcriptParts).where(matches(transcriptParts, { userId, sessionId }))
}
