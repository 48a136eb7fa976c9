import type { PhoneMetadata, SessionListItem } from '../contract/session.ts'
import type { SQL } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'
import { allowedSessions, type Filter, isFiltered } from './filter.ts'
import type { QueryEmbedding } from './query-embeddings.ts'
import { scorePostings, type TermIdf, type TermPosting, type WordScores } from './score.ts'
import {
  type CandidateLimits,
  foundStatement,
  leavesManyStatement,
  lexicalCandidatesStatement,
  nearestStatement,
  postingsStatement,
  type ShownSession,
  similaritiesStatement
} from './statements.ts'
import { FROM_INDEX, indexedStatement, type VectorIndex } from './vector-indexes.ts'

/** Computes the IDF of the query's words in the owner's library, and the sessions with the largest bounds on their lexical score. */
export async function findLexicalCandidates(
  db: Queryable,
  userId: string,
  words: ReadonlyMap<string, number>,
  filter: Filter,
  { frequent, postingsPerSession, candidates }: CandidateLimits
) {
  // A filter may leave only sessions that the best terms do not select.
  const within = isFiltered(filter) ? Number.POSITIVE_INFINITY : postingsPerSession
  const [row] = await db.query<{ sessionIds: string[] | null; idfs: TermIdf[] | null; averagePassages: number | null }>(
    lexicalCandidatesStatement(userId, words, filter, { frequent, postingsPerSession: within, candidates })
  )
  return { sessionIds: row?.sessionIds ?? [], idfs: row?.idfs ?? [], averagePassages: row?.averagePassages ?? 1 }
}

interface Similarity {
  sessionId: string
  similarity: number
}

/** The sessions nearest to the query embedding, by their best passage; from the owner's vector index where there is one. */
export async function listNearest(
  db: Queryable,
  userId: string,
  near: QueryEmbedding,
  filter: Filter,
  { candidates, enough }: Pick<CandidateLimits, 'candidates' | 'enough'>,
  index?: VectorIndex
) {
  const fromIndex = (of: VectorIndex, passages: number) =>
    db.query<Similarity>(indexedStatement(of, near, filter, { passages, candidates }))
  const allowed = allowedSessions(userId, filter)
  if (index && (!allowed || (await leavesMany(db, allowed)))) {
    const first = await fromIndex(index, FROM_INDEX.usual)
    if (first.length >= enough) return bySession(first)
    // With a filter the nearest allowed passages may be far away, further than an index scan goes.
    if (!allowed) return bySession(await fromIndex(index, FROM_INDEX.wide))
  }
  return bySession(await db.query<Similarity>(nearestStatement(userId, near, filter, candidates)))
}

function bySession(rows: Similarity[]) {
  return new Map(rows.map(({ sessionId, similarity }) => [sessionId, similarity]))
}

async function leavesMany(db: Queryable, allowed: SQL) {
  const [row] = await db.query<{ many: boolean }>(leavesManyStatement(allowed))
  return row?.many ?? false
}

/** The parts of a session's score, before fusion. */
export interface Scored extends WordScores {
  sessionId: string
  /** The similarity of the nearest passage; undefined where it was not compared. */
  similarity: number | undefined
}

/** A row of the session numbered `n`: its number of passages, or the posting of query term number `word`. Both count from 1. */
type PostingRow =
  | { n: number; length: number | null; word: null }
  | (Omit<TermPosting, 'ordinals' | 'weights'> & { n: number; ordinals: string; weights: string })

/** Scores each session by words. Sessions that are gone or not completed are left out. */
export async function scoreSessions(
  db: Queryable,
  userId: string,
  sessionIds: string[],
  { idfs, averagePassages }: { idfs: TermIdf[]; averagePassages: number }
): Promise<Omit<Scored, 'similarity'>[]> {
  if (sessionIds.length === 0) return []
  const stems = idfs.map(({ stem }) => stem)
  const rows = await db.query<PostingRow>(postingsStatement(userId, sessionIds, stems))
  const sessions = new Map<number, { length: number; postings: TermPosting[] }>()
  for (const row of rows) {
    const session = sessions.get(row.n) ?? { length: averagePassages, postings: [] }
    sessions.set(row.n, session)
    if (row.word === null) session.length = row.length ?? averagePassages
    else {
      const { word, part, passages, most, ordinals, weights } = row
      session.postings.push({ word: word - 1, part, passages, most, ordinals: numbersOf(ordinals), weights: numbersOf(weights) })
    }
  }
  return [...sessions].flatMap(([n, { length, postings }]) => {
    const sessionId = sessionIds[n - 1]
    return sessionId === undefined ? [] : [{ sessionId, ...scorePostings(postings, idfs, length, averagePassages) }]
  })
}

/** Parses the text of a Postgres array of numbers; as JSON, in half the time that splitting takes. */
function numbersOf(text: string): number[] {
  return JSON.parse(`[${text.slice(1, -1)}]`)
}

/** The similarity of the nearest passage of each session; sessions without embeddings are left out. */
export async function findSimilarities(db: Queryable, userId: string, near: QueryEmbedding, sessionIds: string[]) {
  return bySession(await db.query<Similarity>(similaritiesStatement(userId, near, sessionIds)))
}

export interface FoundPassage {
  start: number | null
  end: number | null
  text: string
  /** The lexical score. */
  score: number
  similarity: number | undefined
}

export type Found = NonNullable<Awaited<ReturnType<typeof findFound>>[number]>

interface FoundRow extends Pick<SessionListItem, 'id' | 'title' | 'timestamp' | 'type'> {
  phone: PhoneMetadata | null
  language: string | null
  summary: string | null
  notes: string | null
  best: (Omit<FoundPassage, 'similarity'> & { similarity: number | null })[] | null
}

/** Loads what results show of sessions, with their best passages. Sessions deleted meanwhile are left out. */
export async function findFound(
  db: Queryable,
  userId: string,
  shown: ShownSession[],
  options: { similarityWeight: number; passages: boolean },
  near: QueryEmbedding | undefined
) {
  const rows = await db.query<FoundRow>(foundStatement(userId, shown, options, near))
  return rows.map(({ id, title, timestamp, type, phone, language, summary, notes, best }) => ({
    item: { id, title, timestamp, type, ...(phone && { phone }) },
    language,
    summary,
    notes,
    passages: (best ?? []).map(({ similarity, ...passage }): FoundPassage => ({ ...passage, similarity: similarity ?? undefined }))
  }))
}
