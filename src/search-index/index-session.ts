import { setImmediate } from 'node:timers/promises'
import { LIMITS } from '../contract/limits.ts'
import { and, eq, isNotNull, sql } from '../db/drizzle.ts'
import { matches } from '../db/matches.ts'
import type { Db } from '../db/open.ts'
import {
  people,
  type SearchPart,
  searchDocuments,
  searchTotals,
  sessionPeople,
  type sessions
} from '../db/schema/index.ts'
import { countValues, rankByFrequency } from '../text/frequency.ts'
import { isCharacter } from '../text/words.ts'
import { indexWordsOf } from './search-words.ts'
import { stemmerOf, stemWords } from './terms.ts'

/** Raise it when words, terms, weights or passages change: sessions of other versions are then indexed again. */
export const INDEX_VERSION = 5

/** The postings of a term in one part of a session: the passages it occurs in, and its BM25 weight in each without the IDF. */
interface Posting {
  term: string
  ordinals: number[]
  weights: number[]
  /** The sum of the three largest weights, an upper bound of the session's score by this term. */
  most: number
}

/** The index of one part of a session. */
interface PartIndex {
  stemmer: string
  passages: number
  postings: Posting[]
}

/** BM25's k1 (term frequency saturation) and b (length normalization), at their usual values. */
const K1 = 1.2
const B = 0.75

/** The average passage length in terms. It is fixed, so that a weight does not change as the library grows. */
const AVERAGE_LENGTH = 128

/** More than 200 hours of speech. The postings of three times as many can exceed what one statement takes. */
const MAX_PASSAGES = 10_000
/** About an hour of conversation. */
const PASSAGES_AT_ONCE = 50
/** More different words than speech of days has. Beyond it the rarest are forgotten, which bounds the memory that hostile text takes. */
const MAX_COUNTED_WORDS = 100_000
/** The passages of terms that one statement writes. The engine takes 20 times the memory of their JSON. */
const PASSAGES_PER_INSERT = 50_000

/** Computes the postings of a transcript's passages, before the transaction that writes them. Other work goes on meanwhile. */
export async function computeTranscriptPostings(
  db: Pick<Db, 'execute'>,
  language: string | null,
  passages: readonly string[]
): Promise<PartIndex> {
  const stemmer = stemmerOf(language)
  const terms = await stemWords(db, stemmer, await listFrequentWords(passages))
  const postings = new Map<string, Posting>()
  for (const [ordinal, text] of passages.slice(0, MAX_PASSAGES).entries()) {
    if (ordinal % PASSAGES_AT_ONCE === PASSAGES_AT_ONCE - 1) await setImmediate()
    const counts = countTerms(text, terms)
    // Pairs of characters already make the length of a text without spaces.
    const length = sum([...counts].map(([term, count]) => (isCharacter(term) ? 0 : count)))
    for (const [term, count] of counts) {
      const posting = postings.get(term) ?? { term, ordinals: [], weights: [], most: 0 }
      posting.ordinals.push(ordinal)
      posting.weights.push(termWeight(count, length))
      postings.set(term, posting)
    }
  }
  for (const posting of postings.values()) posting.most = sum(posting.weights.toSorted((a, b) => b - a).slice(0, 3))
  return { stemmer, passages: passages.length, postings: [...postings.values()] }
}

/** The most frequent words of the passages, as many as are indexed. */
async function listFrequentWords(passages: readonly string[]) {
  const counts = new Map<string, number>()
  for (const [ordinal, text] of passages.entries()) {
    if (ordinal % PASSAGES_AT_ONCE === PASSAGES_AT_ONCE - 1) await setImmediate()
    for (const word of indexWordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
    if (counts.size > MAX_COUNTED_WORDS) removeRarest(counts, MAX_COUNTED_WORDS / 2)
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, LIMITS.indexedWords.said)
    .map(([word]) => word)
}

function removeRarest(counts: Map<string, number>, size: number) {
  for (let most = 1; counts.size > size; most++)
    for (const [word, count] of counts) if (count <= most && counts.size > size) counts.delete(word)
}

export function countTerms(text: string, terms: ReadonlyMap<string, readonly string[]>) {
  return countValues(indexWordsOf(text).flatMap(word => terms.get(word) ?? []))
}

function termWeight(count: number, length: number) {
  const weight = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / AVERAGE_LENGTH))
  return Math.round(weight * 1e4) / 1e4
}

/** The weight of a term in the fields of a session, whose length does not count. */
export function fieldWeight(count: number) {
  return termWeight(count, AVERAGE_LENGTH)
}

function sum(numbers: readonly number[]) {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Writes the postings of a transcript. Call it with the session's row locked, in the transaction that completes the session. */
export async function indexTranscript(tx: Db, userId: string, sessionId: string, transcript: PartIndex) {
  const before = await writeTerms(tx, userId, sessionId, 'said', transcript)
  if (before) await addToTotals(tx, userId, before.stemmer, -1, -before.passages)
  await addToTotals(tx, userId, transcript.stemmer, 1, transcript.passages)
}

type About = Pick<typeof sessions.$inferSelect, 'sessionId' | 'language' | 'title' | 'tags' | 'notes' | 'summary'>

/** Indexes title, tags, people, notes and summary of a session. Call it with the session's row locked, after the change. */
export async function indexFields(tx: Db, userId: string, { sessionId, language, title, tags, notes, summary }: About) {
  const stemmer = stemmerOf(language)
  const names = await listNames(tx, userId, sessionId)
  const text = [title, ...tags, ...names, notes, summary].join('\n')
  const terms = await stemWords(tx, stemmer, rankByFrequency(indexWordsOf(text)).slice(0, LIMITS.indexedWords.about))
  const postings = [...countTerms(text, terms)].map(([term, count]) => {
    return { term, ordinals: [], weights: [], most: fieldWeight(count) }
  })
  await writeTerms(tx, userId, sessionId, 'about', { stemmer, passages: 0, postings })
}

/** The names of the people in a session, there and elsewhere. */
async function listNames(tx: Db, userId: string, sessionId: string) {
  const rows = await tx
    .select({ name: people.name, nameInSession: sessionPeople.nameInSession })
    .from(sessionPeople)
    .innerJoin(people, and(eq(people.userId, userId), eq(people.personId, sessionPeople.personId)))
    .where(and(matches(sessionPeople, { userId, sessionId }), isNotNull(people.nameKey)))
  return [...new Set(rows.flatMap(row => [row.name, row.nameInSession]))]
}

/** Indexes a session that is restored from the trash. Call it with the session's row locked. */
export async function indexRestored(tx: Db, userId: string, session: About) {
  const { sessionId, language } = session
  const said = sql`select text from passages where user_id = ${userId} and session_id = ${sessionId} order by ordinal`
  const texts = (await tx.execute<{ text: string }>(said)).rows.map(({ text }) => text)
  await indexTranscript(tx, userId, sessionId, await computeTranscriptPostings(tx, language, texts))
  await indexFields(tx, userId, session)
}

const NO_POSTINGS: PartIndex = { stemmer: 'simple', passages: 0, postings: [] }

/** Removes a session from the search index. Call it with the session's row locked. */
export async function removeFromIndex(tx: Db, userId: string, sessionId: string) {
  const said = await writeTerms(tx, userId, sessionId, 'said', NO_POSTINGS)
  await writeTerms(tx, userId, sessionId, 'about', NO_POSTINGS)
  await tx.delete(searchDocuments).where(matches(searchDocuments, { userId, sessionId }))
  if (said) await addToTotals(tx, userId, said.stemmer, -1, -said.passages)
}

/** Replaces the postings of a part and returns what was indexed before. Unchanged terms, which most are, are not written. */
async function writeTerms(
  tx: Db,
  userId: string,
  sessionId: string,
  part: SearchPart,
  { stemmer, passages, postings }: PartIndex
) {
  // In key order, so that each index page is visited once.
  const sorted = postings.toSorted((a, b) => (a.term < b.term ? -1 : 1))
  const terms = sorted.map(({ term }) => term)
  const { rows } = await tx.execute<{ stemmer: string; passages: number }>(sql`
    with before as materialized (
      select stemmer, passages, terms from search_documents where user_id = ${userId} and session_id = ${sessionId} and part = ${part}
    ),
    document as (
      update search_documents
      set stemmer = ${stemmer}, version = ${INDEX_VERSION}::int, passages = ${passages}::int, terms = ${sql.param(terms)}::text[]
      where user_id = ${userId} and session_id = ${sessionId} and part = ${part}
    ),
    gone as (select unnest(terms) as term from before except select unnest(${sql.param(terms)}::text[])),
    -- Each by its primary key: without statistics a join would compare every row with every term.
    removed as (
      delete from search_terms t using gone cross join lateral (
        select ctid from search_terms t
        where t.user_id = ${userId} and t.term = gone.term and t.session_id = ${sessionId} and t.part = ${part} limit 1
      ) found where t.user_id = ${userId} and t.ctid = found.ctid
    )
    select stemmer, passages from before`)
  const [before] = rows
  if (!before)
    await tx
      .insert(searchDocuments)
      .values({ userId, sessionId, part, stemmer, version: INDEX_VERSION, passages, terms })
  for (const slice of slicesOf(sorted))
    await tx.execute(sql`
    insert into search_terms as t (user_id, term, session_id, part, passages, most, ordinals, weights)
    select d.user_id, e.term, d.session_id, d.part, cardinality(e.ordinals), e.most, e.ordinals, e.weights
    from search_documents d
    cross join jsonb_to_recordset(${JSON.stringify(slice)}::jsonb) as e(term text, most real, ordinals smallint[], weights real[])
    where d.user_id = ${userId} and d.session_id = ${sessionId} and d.part = ${part}
    on conflict (user_id, term, session_id, part) do update
      set passages = excluded.passages, most = excluded.most, ordinals = excluded.ordinals, weights = excluded.weights
      where (t.most, t.ordinals, t.weights) is distinct from (excluded.most, excluded.ordinals, excluded.weights)`)
  return before
}

function* slicesOf(postings: readonly Posting[]) {
  let slice: Posting[] = []
  let passages = 0
  for (const posting of postings) {
    slice.push(posting)
    passages += 1 + posting.ordinals.length
    if (passages < PASSAGES_PER_INSERT) continue
    yield slice
    slice = []
    passages = 0
  }
  if (slice.length > 0) yield slice
}

async function addToTotals(tx: Db, userId: string, stemmer: string, turn: 1 | -1, passages: number) {
  const set = {
    sessions: sql`search_totals.sessions + excluded.sessions`,
    passages: sql`search_totals.passages + excluded.passages`
  }
  tx.willLock('search totals')
  await tx
    .insert(searchTotals)
    .values({ userId, stemmer, sessions: turn, passages })
    .onConflictDoUpdate({ target: [searchTotals.userId, searchTotals.stemmer], set })
}

/** Marks a session whose transcript has changed to be indexed again. */
export async function markTranscriptForIndexing(tx: Db, userId: string, sessionId: string) {
  await tx.execute(sql`
    update search_documents set version = 0 where user_id = ${userId} and session_id = ${sessionId} and part = 'said'`)
}
