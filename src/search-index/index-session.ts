import { setImmediate } from 'node:timers/promises'
import { LIMITS } from '../contract/limits.ts'
import { sql } from '../db/drizzle.ts'
import { matches } from '../db/matches.ts'
import type { Db } from '../db/open.ts'
import { searchDocuments, searchTotals } from '../db/schema/index.ts'
import { countValues } from '../text/frequency.ts'
import { isCharacter } from '../text/words.ts'
import { type About, indexFields } from './index-fields.ts'
import { indexWordsOf } from './search-words.ts'
import { stemmerOf, stemWords } from './terms.ts'
import { type PartIndex, type Posting, termWeight, writeTerms } from './write-terms.ts'

/** More than 200 hours of speech. The postings of three times as many can exceed what one statement takes. */
const MAX_PASSAGES = 10_000
/** About an hour of conversation. */
const PASSAGES_AT_ONCE = 50
/** More different words than speech of days has. Beyond it the rarest are forgotten, which bounds the memory that hostile text takes. */
const MAX_COUNTED_WORDS = 100_000
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
  return { stemmer, passages: passages.length, postings: [...postings.values()], words: null }
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

function sum(numbers: readonly number[]) {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Writes the postings of a transcript. Call it with the session's row locked, in the transaction that completes the session. */
export async function indexTranscript(tx: Db, userId: string, sessionId: string, transcript: PartIndex) {
  const before = await writeTerms(tx, userId, sessionId, 'said', transcript)
  if (before) await addToTotals(tx, userId, before.stemmer, -1, -before.passages)
  await addToTotals(tx, userId, transcript.stemmer, 1, transcript.passages)
}

/** Indexes a session that is restored from the trash. Call it with the session's row locked. */
export async function indexRestored(tx: Db, userId: string, session: About) {
  const { sessionId, language } = session
  const said = sql`select text from passages where user_id = ${userId} and session_id = ${sessionId} order by ordinal`
  const texts = (await tx.execute<{ text: string }>(said)).rows.map(({ text }) => text)
  await indexTranscript(tx, userId, sessionId, await computeTranscriptPostings(tx, language, texts))
  await indexFields(tx, userId, session)
}

const NO_POSTINGS: PartIndex = { stemmer: 'simple', passages: 0, postings: [], words: null }

/** Removes a session from the search index. Call it with the session's row locked. */
export async function removeFromIndex(tx: Db, userId: string, sessionId: string) {
  const said = await writeTerms(tx, userId, sessionId, 'said', NO_POSTINGS)
  await writeTerms(tx, userId, sessionId, 'about', NO_POSTINGS)
  await tx.delete(searchDocuments).where(matches(searchDocuments, { userId, sessionId }))
  if (said) await addToTotals(tx, userId, said.stemmer, -1, -said.passages)
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
