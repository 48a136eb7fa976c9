import { deleteAt } from '../../../platform/db/delete-rows.ts'
import { type SQL, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { type SearchPart, searchDocuments } from '../../../platform/db/schema/index.ts'
import type { Postings } from './postings.ts'

/** Raise it when words, terms, weights or passages change: sessions of other versions are then indexed again. */
export const INDEX_VERSION = 7

/** The index of one part of a session. */
export interface PartIndex {
  stemmer: string
  passages: number
  postings: Postings
  /** The number of different words of fields, which may be less after a change. Null for a transcript, and if some are not indexed. */
  words: number | null
}

/** BM25's k1 (term frequency saturation) and b (length normalization), at their usual values. */
const K1 = 1.2
const B = 0.75

/** The average passage length in terms. It is fixed, so that a weight does not change as the library grows. */
export const AVERAGE_LENGTH = 128

/** The JSON of the postings that one statement writes. The engine takes 20 times its memory. */
const BYTES_PER_INSERT = 512 * 1024

export function termWeight(count: number, length: number) {
  const weight = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / AVERAGE_LENGTH))
  return Math.round(weight * 1e4) / 1e4
}

/** Replaces the postings of a part and returns what was indexed before. Unchanged terms, which most are, are not written. */
export async function writeTerms(
  tx: Db,
  userId: string,
  sessionId: string,
  part: SearchPart,
  { stemmer, passages, postings, words }: PartIndex
) {
  const { terms } = postings
  const { rows } = await tx.execute<{ stemmer: string; passages: number }>(sql`
    with before as materialized (
      select stemmer, passages, terms from search_documents where user_id = ${userId} and session_id = ${sessionId} and part = ${part}
    ),
    document as (
      update search_documents
      set stemmer = ${stemmer}, version = ${INDEX_VERSION}::int, passages = ${passages}::int, terms = ${sql.param(terms)}::text[],
        words = ${words}::int
      where user_id = ${userId} and session_id = ${sessionId} and part = ${part}
    ),
    gone as (select unnest(terms) as term from before except select unnest(${sql.param(terms)}::text[])),
    removed as (${deleteTerms(userId, sessionId, part, sql`gone`)})
    select stemmer, passages from before`)
  const [before] = rows
  if (!before)
    await tx
      .insert(searchDocuments)
      .values({ userId, sessionId, part, stemmer, version: INDEX_VERSION, passages, terms, words })
  // In key order, so that each index page is visited once.
  for (const slice of slicesOf(postings))
    await tx.execute(sql`
    insert into search_terms (user_id, term, session_id, part, passages, most, ordinals, weights)
    select d.user_id, e.term, d.session_id, d.part, cardinality(e.ordinals), e.most, e.ordinals, e.weights
    from search_documents d
    cross join jsonb_to_recordset(${slice}::jsonb) as e(term text, most real, ordinals smallint[], weights real[])
    -- An upsert would lock rows that it leaves as they are, which writes them.
    left join lateral (
      select t.most, t.ordinals, t.weights from search_terms t
      where t.user_id = ${userId} and t.term = e.term and t.session_id = ${sessionId} and t.part = ${part} limit 1
    ) known on true
    where d.user_id = ${userId} and d.session_id = ${sessionId} and d.part = ${part}
      and (known.most, known.ordinals, known.weights) is distinct from (e.most, e.ordinals, e.weights)
    on conflict (user_id, term, session_id, part) do update
      set passages = excluded.passages, most = excluded.most, ordinals = excluded.ordinals, weights = excluded.weights`)
  return before
}

/** Deletes the postings of terms, each by its primary key: without statistics a join would compare every row with every term. */
export function deleteTerms(userId: string, sessionId: string, part: SearchPart, terms: SQL) {
  const places = sql`
    select found.ctid from ${terms} cross join lateral (
      select ctid from search_terms t
      where t.user_id = ${userId} and t.term = gone.term and t.session_id = ${sessionId} and t.part = ${part} limit 1
    ) found`
  return deleteAt(userId, sql`search_terms`, places)
}

/** The postings as JSON lists of about that size. */
function* slicesOf(postings: Postings) {
  let slice: string[] = []
  let bytes = 0
  for (const posting of postings.read()) {
    const json = JSON.stringify(posting)
    slice.push(json)
    bytes += Buffer.byteLength(json)
    if (bytes < BYTES_PER_INSERT) continue
    yield `[${slice.join()}]`
    slice = []
    bytes = 0
  }
  if (slice.length > 0) yield `[${slice.join()}]`
}
