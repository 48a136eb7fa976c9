import { and, eq, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { chunks, embeddings } from '../db/schema/index.ts'
import { lockSession } from '../sessions/detail.ts'
import { INDEX_VERSION, indexAbout, indexSaid, readSaid } from '../terms/index-session.ts'
import { type Chunk, cutChunks } from './chunks.ts'
import type { Pipeline } from './pipeline.ts'
import { findForProcessing, saveChunks } from './queries.ts'

interface Place {
  userId: string
  sessionId: string
}

/** So many sessions are looked at with one statement, and so many removed vectors go with one. */
const LOOK_AT_ONCE = 1_000
const REMOVE_AT_ONCE = 2_000

/**
 * Makes every completed session findable as this version and its embedding model do it: those completed before there was search, by
 * another version of it, or with vectors of another model. Until one is done, it is found by what it has. Vectors of other models go
 * when none is needed any more. Safe to interrupt and to repeat.
 */
export async function refreshSessions(pipeline: Pick<Pipeline, 'db' | 'ai'>, signal: AbortSignal): Promise<number> {
  const { db, ai } = pipeline
  let refreshed = 0
  let fault: unknown
  let after: Place | undefined = { userId: '', sessionId: '' }
  while (after && !signal.aborted) {
    const { stale, last }: Page = await lookAt(db, ai.embedder.model, after)
    for (const place of stale) {
      if (signal.aborted) return refreshed
      try {
        await refreshSession(pipeline, place.userId, place.sessionId, signal)
        refreshed++
      } catch (caught) {
        // One that cannot be done must not keep the others from it.
        fault ??= caught
      }
    }
    after = last
  }
  if (fault !== undefined) throw fault
  if (!signal.aborted) await removeOtherModels(db, ai.embedder.model, signal)
  return refreshed
}

interface Page {
  stale: Place[]
  /** Where to go on; undefined at the end. */
  last: Place | undefined
}

async function lookAt(db: Db, model: string, { userId, sessionId }: Place): Promise<Page> {
  const { rows } = await db.execute<{ user_id: string; session_id: string; stale: boolean }>(sql`
    select user_id, session_id, state = 'completed' and (
        (select count(*) from search_documents d where d.user_id = s.user_id and d.session_id = s.session_id and d.version = ${INDEX_VERSION}) < 2
        or exists (select from chunks c where c.user_id = s.user_id and c.session_id = s.session_id and not exists (
          select from embeddings e where e.user_id = c.user_id and e.model = ${model} and e.session_id = c.session_id and e.ordinal = c.ordinal))
      ) as stale
    from sessions s where (user_id, session_id) > (${userId}, ${sessionId}) order by user_id, session_id limit ${LOOK_AT_ONCE}`)
  const places = rows.map(row => ({ userId: row.user_id, sessionId: row.session_id, stale: row.stale }))
  return { stale: places.filter(({ stale }) => stale), last: places.length === LOOK_AT_ONCE ? places.at(-1) : undefined }
}

/** Passages that are still the same keep their vectors. */
async function refreshSession({ db, ai }: Pick<Pipeline, 'db' | 'ai'>, userId: string, sessionId: string, signal: AbortSignal) {
  const found = await findForProcessing(db, userId, sessionId)
  if (found?.session.state !== 'completed') return
  const cut = cutChunks(found.segments)
  const { model } = ai.embedder
  const vectors = await vectorsOf(db, model, userId, sessionId)
  const missing = cut.filter(chunk => !vectors.has(keyOf(chunk)))
  const made = missing.length > 0 ? await ai.embed(missing.map(keyOf), signal) : []
  for (const [at, chunk] of missing.entries()) vectors.set(keyOf(chunk), made[at] ?? [])
  const said = await readSaid(db, found.session.language, cut.map(keyOf))
  await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId)
    if (session?.state !== 'completed') return
    await saveChunks(tx, userId, sessionId, cut, { model, vectors: cut.map(chunk => vectors.get(keyOf(chunk)) ?? []) })
    await indexSaid(tx, userId, sessionId, said)
    await indexAbout(tx, userId, session)
  })
}

function keyOf({ text }: Chunk) {
  return text
}

/** The vectors that the session's passages have of the model, by text. */
async function vectorsOf(db: Db, model: string, userId: string, sessionId: string) {
  const rows = await db
    .select({ text: chunks.text, vector: embeddings.vector })
    .from(chunks)
    .innerJoin(
      embeddings,
      and(
        eq(embeddings.userId, chunks.userId),
        eq(embeddings.model, model),
        eq(embeddings.sessionId, chunks.sessionId),
        eq(embeddings.ordinal, chunks.ordinal)
      )
    )
    .where(and(eq(chunks.userId, userId), eq(chunks.sessionId, sessionId)))
  return new Map(rows.map(({ text, vector }) => [text, vector]))
}

async function removeOtherModels(db: Db, model: string, signal: AbortSignal) {
  while (!signal.aborted) {
    const { rowCount } = await db.execute(sql`
      delete from embeddings where ctid = any (array(select ctid from embeddings where model <> ${model} limit ${REMOVE_AT_ONCE}))`)
    if (!rowCount) break
  }
}
