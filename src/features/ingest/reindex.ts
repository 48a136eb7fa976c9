import { deleteRowsOfAll } from '../../platform/db/delete-rows.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { SEARCH_PARTS } from '../../platform/db/schema/index.ts'
import type { Passage } from '../../platform/ports/corrected-transcript.ts'
import { findVersion } from '../corrections/queries.ts'
import { indexFields } from '../library/index/index-fields.ts'
import { indexTranscript } from '../library/index/index-session.ts'
import { cutPassages } from '../library/index/passages.ts'
import { computeTranscriptPostings } from '../library/index/transcript-postings.ts'
import { INDEX_VERSION } from '../library/index/write-terms.ts'
import type { OpenAttempts } from '../library/open-attempts.ts'
import { lockSession, type SessionKey } from '../library/session-row.ts'
import { findVectors, hasPostings, isStored, listIndexed } from './indexed-passages.ts'
import type { Pipeline } from './pipeline.ts'
import { findForProcessing, savePassages } from './queries.ts'

/** The number of sessions read, and of embeddings deleted, per statement. */
const LOOK_AT_ONCE = 1_000
const REMOVE_AT_ONCE = 2_000

export interface Indexer extends Pick<Pipeline, 'db' | 'ai'> {
  attempts: OpenAttempts
  /** Called for a session that stays as it was indexed, because work on it ended the process too often. */
  onGiveUp: (sessionId: string) => void
}

/**
 * Indexes every completed session that another version or another embedding model has indexed. Until then search uses the old index.
 * Embeddings of other models are deleted at the end. Safe to interrupt and to repeat. Returns how many it indexed.
 */
export async function reindexSessions(pipeline: Indexer, signal: AbortSignal): Promise<number> {
  const { db, ai } = pipeline
  let refreshed = 0
  let error: unknown
  let after: SessionKey | undefined = { userId: '', sessionId: '' }
  while (after && !signal.aborted) {
    const { stale, last }: StaleBatch = await lookAt(db, ai.embedder?.model, after)
    for (const place of stale) {
      if (signal.aborted) return refreshed
      try {
        if (await attemptIndex(pipeline, place.userId, place.sessionId, signal)) refreshed++
      } catch (caught) {
        // An error of one session does not stop the others.
        error ??= caught
      }
    }
    after = last
  }
  if (error !== undefined) throw error
  // While embeddings are off, stored ones stay for later use.
  if (ai.embedder)
    await deleteRowsOfAll(db, sql`embeddings`, sql`model <> ${ai.embedder.model}`, REMOVE_AT_ONCE, signal)
  return refreshed
}

interface StaleBatch {
  stale: SessionKey[]
  /** The last session read; undefined at the end. */
  last: SessionKey | undefined
}

async function lookAt(db: Db, model: string | undefined, { userId, sessionId }: SessionKey): Promise<StaleBatch> {
  const { rows } = await db.execute<{ user_id: string; session_id: string; stale: boolean }>(sql`
    select user_id, session_id, state = 'completed' and (
        (select count(*) from search_documents d where d.user_id = s.user_id and d.session_id = s.session_id and d.version = ${INDEX_VERSION}) < ${SEARCH_PARTS.length}
        or ${model !== undefined}::boolean and exists (select from passages p where p.user_id = s.user_id and p.session_id = s.session_id and not exists (
          select from embeddings e where e.user_id = p.user_id and e.model = ${model ?? ''} and e.session_id = p.session_id and e.ordinal = p.ordinal))
      ) as stale
    from sessions s where (user_id, session_id) > (${userId}, ${sessionId}) order by user_id, session_id limit ${LOOK_AT_ONCE}`)
  const places = rows.map(row => ({ userId: row.user_id, sessionId: row.session_id, stale: row.stale }))
  return {
    stale: places.filter(({ stale }) => stale),
    last: places.length === LOOK_AT_ONCE ? places.at(-1) : undefined
  }
}

/** Indexes a session as one of its counted attempts. Returns false if these have ended the process too often. */
export async function attemptIndex(
  { attempts, onGiveUp, ...pipeline }: Indexer,
  userId: string,
  sessionId: string,
  signal: AbortSignal
) {
  let isTried = true
  await attempts.attempt(userId, sessionId, {
    state: 'completed',
    signal,
    run: () => reindexSession(pipeline, userId, sessionId, signal),
    giveUp: async () => {
      isTried = false
      onGiveUp(sessionId)
    }
  })
  return isTried
}

/** Indexes a completed session again. Unchanged passages keep their embeddings. Starts again if the transcript was corrected meanwhile. */
export async function reindexSession(
  pipeline: Pick<Pipeline, 'db' | 'ai'>,
  userId: string,
  sessionId: string,
  signal: AbortSignal
): Promise<void> {
  // A loop, because an attempt that called the next one would keep its transcript until the last one has ended.
  while (!(await indexAsFound(pipeline, userId, sessionId, signal))) signal.throwIfAborted()
}

/** Indexes a session with the transcript that it has now. Returns false if that was corrected before the index was written. */
async function indexAsFound(
  { db, ai }: Pick<Pipeline, 'db' | 'ai'>,
  userId: string,
  sessionId: string,
  signal: AbortSignal
) {
  const found = await findForProcessing(db, userId, sessionId)
  if (found?.session.state !== 'completed') return true
  const { language } = found.session
  const cut = await cutPassages(found.segments)
  const model = ai.embedder?.model
  const indexed = await listIndexed(db, userId, sessionId, model)
  const moved = ordinalsOf(cut, (passage, ordinal) => !isStored(indexed, ordinal, passage))
  const isCut = moved.length === 0 && indexed.size === cut.length
  const isIndexed = isCut && (await hasPostings(db, userId, sessionId, { language, count: cut.length }))
  const said = isIndexed ? undefined : await computeTranscriptPostings(db, language, cut.map(keyOf))
  const only = ordinalsOf(
    cut,
    (passage, ordinal) =>
      !isStored(indexed, ordinal, passage) || (model !== undefined && indexed.get(ordinal)?.isEmbedded !== true)
  )
  const wanted = new Set(only.flatMap(ordinal => cut[ordinal]?.text ?? []))
  const known =
    model === undefined ? undefined : await findVectors(db, userId, sessionId, { model, indexed, texts: wanted })
  const vectors = known ? await embedMissing(ai, cut, { wanted, known }, signal) : []
  // Only what differs is written: changes of the session wait for this transaction.
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId)
    if (session?.state !== 'completed') return true
    const isCurrent = session.language === language && (await findVersion(tx, userId, sessionId)) === found.version
    if (!isCurrent) return false
    await savePassages(tx, userId, sessionId, cut, { model, vectors, only })
    if (said) await indexTranscript(tx, userId, sessionId, said)
    await indexFields(tx, userId, session)
    return true
  })
}

/** Returns the embeddings of passages in their order, of those with a wanted text: known ones, and new ones of the others. */
async function embedMissing(
  ai: Pipeline['ai'],
  cut: readonly Passage[],
  { wanted, known }: { wanted: ReadonlySet<string>; known: ReadonlyMap<string, number[] | null> },
  signal: AbortSignal
): Promise<(number[] | undefined)[]> {
  const missing = [...wanted].filter(text => !known.has(text))
  const made = missing.length > 0 ? await ai.embed(missing, signal) : []
  const vectors = new Map([...known, ...missing.map((text, at): [string, number[] | undefined] => [text, made[at]])])
  return cut.map(passage => vectors.get(keyOf(passage)) ?? undefined)
}

function ordinalsOf(cut: readonly Passage[], isWanted: (passage: Passage, ordinal: number) => boolean) {
  return cut.flatMap((passage, ordinal) => (isWanted(passage, ordinal) ? [ordinal] : []))
}

function keyOf({ text }: Passage) {
  return text
}
