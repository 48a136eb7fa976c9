import type { PhoneMetadata } from '../contract/session.ts'
import type { Reader } from '../db/open.ts'
import { type Filter, filterValues } from './filter.ts'
import { FOUND, nearestStatement, scoresStatement, wordsStatement } from './statements.ts'
import { indexedStatement, type VectorIndex } from './vector-indexes.ts'

/** A vector with the name of the model that made it. */
export interface QueryVector {
  model: string
  vector: number[]
}

/** What a word of the query is worth: the rarer, the more. */
export interface Worth {
  stem: string
  byPassage: number
  bySession: number
}

type WordsRow = [string[] | null, [string, number, number][] | null, number | null]

/** What the words are worth to the owner, and the sessions that promise most of them. */
export async function weighWords(db: Reader, userId: string, words: string[], filter: Filter, limit: number) {
  const [row] = await db.run<WordsRow>(wordsStatement(filter), [userId, words, limit, ...filterValues(filter)])
  const worths = (row?.[1] ?? []).map(([stem, byPassage, bySession]): Worth => ({ stem, byPassage, bySession }))
  return { sessionIds: row?.[0] ?? [], worths, usualPassages: row?.[2] ?? 1 }
}

/** The sessions with the passages nearest to the vector, from the owner's index if there is one. */
export async function listNearest(
  db: Reader,
  userId: string,
  { model, vector }: QueryVector,
  filter: Filter,
  limit: number,
  index?: VectorIndex
) {
  if (index) {
    const indexed = await db.run<[string]>(indexedStatement(index, filter), [userId, textOf(vector), limit, ...filterValues(filter)])
    // A narrow filter leaves the index too little; then there is also little to compare one by one.
    if (indexed.length >= limit / 4) return indexed.map(([id]) => id)
  }
  const values = [userId, model, vector.length, textOf(vector), limit, ...filterValues(filter)]
  const rows = await db.run<[string]>(nearestStatement(filter), values)
  return rows.map(([id]) => id)
}

/** How well a session answers, in parts that are still to be put together. */
export interface Scored {
  sessionId: string
  /** By the words of its best passages, of all passages, and of what is written about it. */
  best: number
  everywhere: number
  about: number
  /** Of its nearest passage; undefined where none was compared. */
  likeness: number | undefined
  passages: { ordinal: number; score: number; likeness: number | undefined }[]
}

type ScoreRow = [string, number, number, number, number | null, number[] | null, number[] | null, (number | null)[] | null]

export async function scoreSessions(
  db: Reader,
  userId: string,
  sessionIds: string[],
  { worths, usualPassages }: { worths: Worth[]; usualPassages: number },
  likenessWeight: number,
  near: QueryVector | undefined
): Promise<Scored[]> {
  const asked = [worths.map(({ stem }) => stem), worths.map(({ byPassage }) => byPassage), worths.map(({ bySession }) => bySession)]
  const values = [userId, sessionIds, ...asked, usualPassages, likenessWeight]
  const vector = near ? [near.model, near.vector.length, textOf(near.vector)] : []
  const rows = await db.run<ScoreRow>(scoresStatement(near !== undefined), [...values, ...vector])
  return rows.map(([sessionId, best, everywhere, about, likeness, ordinals, scores, likenesses]) => ({
    sessionId,
    best,
    everywhere,
    about,
    likeness: likeness ?? undefined,
    passages: (ordinals ?? []).map((ordinal, at) => ({ ordinal, score: scores?.[at] ?? 0, likeness: likenesses?.[at] ?? undefined }))
  }))
}

/** A passage's place in its session's answer, and why. */
export interface Ranking {
  ordinal: number
  score: number
  byWords: boolean
}

export interface FoundPassage {
  ordinal: number
  start: number | null
  end: number | null
  text: string
}

export type Found = NonNullable<Awaited<ReturnType<typeof findFound>>[number]>

type FoundRow = [
  ...[string, string, string | null, string, PhoneMetadata | null, string | null, string | null, string | null],
  [number, number | null, number | null, string][] | null
]

/** What the answer tells of those sessions, with those of their passages; a session that is gone meanwhile is left out. */
export async function findFound(db: Reader, userId: string, wanted: Pick<Scored, 'sessionId' | 'passages'>[]) {
  const pairs = wanted.flatMap(({ sessionId, passages }) => passages.map(({ ordinal }) => ({ sessionId, ordinal })))
  const ids = wanted.map(({ sessionId }) => sessionId)
  const values = [userId, ids, pairs.map(({ sessionId }) => sessionId), pairs.map(({ ordinal }) => ordinal)]
  const rows = await db.run<FoundRow>(FOUND, values)
  return rows.map(([sessionId, title, timestamp, type, phone, language, summary, notes, passages]) => ({
    item: { id: sessionId, title, timestamp, type, ...(phone && { phone }) },
    language,
    summary,
    notes,
    passages: (passages ?? []).map(([ordinal, start, end, text]): FoundPassage => ({ ordinal, start, end, text }))
  }))
}

/** As the database reads a vector. */
function textOf(vector: number[]) {
  return `[${vector.join(',')}]`
}
