import { and, eq, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import { transcripts } from '../../platform/db/schema/index.ts'
import type { Strip } from '../../platform/ports/strip.ts'
import type { Segment } from '../../platform/text/segment.ts'
import { operation } from '../access/operation.ts'
import type { Services } from '../services.ts'
import { toStrip } from './strip.ts'

/** The strips that one call computes; the next one goes on. */
const MADE_AT_ONCE = 4
/** A longer transcript has the strip that was made with it, and none after a correction. */
const MAX_BYTES = 2_000_000

/** Stores the strip of the segments of this version. After a change of them it is that of another transcript, and is not stored. */
export async function saveStrip(db: Db, userId: string, sessionId: string, strip: Strip | null, version: number) {
  if (!strip) return
  const isSame = and(matches(transcripts, { userId, sessionId }), eq(transcripts.version, version))
  await db.update(transcripts).set({ strip }).where(isSame)
}

/**
 * Returns the strips of sessions by their ids, those that are not in the trash. A few of those that have none, because they were completed or corrected
 * before, are computed now.
 */
export const listStrips = operation(
  'listSessionLabels',
  async (
    { db, slow }: Pick<Services, 'db' | 'slow'>,
    actor,
    sessionIds: readonly string[]
  ): Promise<Map<string, Strip>> => {
    const { userId } = actor
    const rows = await selectStrips(slow, userId, sessionIds)
    const strips = new Map(rows.flatMap(({ id, strip }) => (strip ? [[id, strip] as const] : [])))
    const missing = rows.filter(({ strip, bytes }) => strip === null && bytes > 0 && bytes <= MAX_BYTES)
    for (const { id } of missing.slice(0, MADE_AT_ONCE)) {
      const found = await findSegments(slow, userId, id)
      if (!found) continue
      const strip = toStrip(found.segments, found.seconds)
      await saveStrip(db, userId, id, strip, found.version)
      if (strip) strips.set(id, strip)
    }
    return strips
  }
)

async function selectStrips(db: Queryable, userId: string, sessionIds: readonly string[]) {
  return await db.query<{ id: string; strip: Strip | null; bytes: number }>(sql`
    select t.session_id as id, t.strip, t.bytes from transcripts t
    join sessions s on s.user_id = ${userId} and s.session_id = t.session_id
    where t.user_id = ${userId} and t.session_id = any(${sql.param([...sessionIds])}::text[]) and s.state = 'completed'`)
}

async function findSegments(db: Queryable, userId: string, sessionId: string) {
  const [row] = await db.query<{ segments: Segment[]; version: number; seconds: number }>(sql`
    select t.segments, t.version, s.duration_seconds as seconds from transcripts t
    join sessions s on s.user_id = ${userId} and s.session_id = t.session_id
    where t.user_id = ${userId} and t.session_id = ${sessionId}`)
  return row
}
