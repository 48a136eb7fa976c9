import { and, eq, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { embeddings, passages, searchDocuments } from '../../platform/db/schema/index.ts'
import type { Passage } from '../../platform/ports/corrected-transcript.ts'
import { stemmerOf } from '../library/index/terms.ts'
import { INDEX_VERSION } from '../library/index/write-terms.ts'

/** Returns the stored passages of a session, and whether each has an embedding by the model. Its vectors are not read: a long transcript has many. */
export async function listIndexed(db: Db, userId: string, sessionId: string, model: string | undefined) {
  const { ordinal, firstSegment, lastSegment, startsAt, endsAt, text } = passages
  const rows = await db
    .select({
      ordinal,
      passage: { firstSegment, lastSegment, startsAt, endsAt, text },
      isEmbedded: sql<boolean>`${embeddings.ordinal} is not null`
    })
    .from(passages)
    .leftJoin(
      embeddings,
      and(
        eq(embeddings.userId, userId),
        eq(embeddings.model, model ?? ''),
        eq(embeddings.sessionId, passages.sessionId),
        eq(embeddings.ordinal, passages.ordinal)
      )
    )
    .where(matches(passages, { userId, sessionId }))
  return new Map(rows.map(({ ordinal, passage, isEmbedded }) => [ordinal, { passage, isEmbedded }]))
}

/** Returns the embeddings of passages by their texts; null if the model doesn't know a text. */
export async function findVectors(
  db: Db,
  userId: string,
  sessionId: string,
  { model, indexed, texts }: { model: string; indexed: IndexedPassages; texts: ReadonlySet<string> }
) {
  const ordinals = [...indexed].flatMap(([ordinal, { passage, isEmbedded }]) =>
    isEmbedded && texts.has(passage.text) ? [ordinal] : []
  )
  if (ordinals.length === 0) return new Map<string, number[] | null>()
  const rows = await db
    .select({ ordinal: embeddings.ordinal, vector: embeddings.vector })
    .from(embeddings)
    .where(
      and(
        matches(embeddings, { userId, model, sessionId }),
        sql`${embeddings.ordinal} = any(${sql.param(ordinals)}::int[])`
      )
    )
  return new Map(rows.map(({ ordinal, vector }) => [indexed.get(ordinal)?.passage.text ?? '', vector]))
}

export type IndexedPassages = Awaited<ReturnType<typeof listIndexed>>

/** Returns whether a stored passage is as it is cut now. */
export function isStored(indexed: IndexedPassages, ordinal: number, cut: Passage) {
  const stored = indexed.get(ordinal)?.passage
  return (
    stored !== undefined &&
    stored.text === cut.text &&
    stored.firstSegment === cut.firstSegment &&
    stored.lastSegment === cut.lastSegment &&
    stored.startsAt === cut.startsAt &&
    stored.endsAt === cut.endsAt
  )
}

/**
 * Returns whether the postings of a transcript are those of its stored passages: whoever changes these writes the postings in the same
 * transaction, or marks them to be written.
 */
export async function hasPostings(
  db: Db,
  userId: string,
  sessionId: string,
  { language, count }: { language: string | null; count: number }
) {
  const [row] = await db
    .select({
      version: searchDocuments.version,
      stemmer: searchDocuments.stemmer,
      passages: searchDocuments.passages
    })
    .from(searchDocuments)
    .where(matches(searchDocuments, { userId, sessionId, part: 'said' }))
  return row?.version === INDEX_VERSION && row.stemmer === stemmerOf(language) && row.passages === count
}
