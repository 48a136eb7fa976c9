import type { PhoneMetadata } from '../contract/session.ts'
import type { Reader } from '../db/open.ts'
import { type Filter, filterValues } from './filter.ts'
import type { QueryVector } from './query-vectors.ts'
import { type Place, scoreOfPlaces, type WordScores, type Worth } from './score.ts'
import { FOUND, LIKENESSES, nearestStatement, PLACES_OF, wideStatement, wordsStatement } from './statements.ts'
import { FROM_INDEX, indexedStatement, type VectorIndex } from './vector-indexes.ts'

type WordsRow = [string[] | null, [string, number, number][] | null, number | null]

export interface Breadth {
  /** Of many words, all that are rare count, and so many of the others: the longest, which are the rarest of them. */
  frequent: number
  /** The best of them choose sessions, until they stand in so many times the owner's sessions together. */
  promising: number
  /** How many sessions words choose, and how many likeness does. */
  candidates: number
  /** Where the nearest passages are of fewer sessions, further ones are looked for. */
  enough: number
}

/** What the words, each with what it counts, are worth to the owner, and the sessions that promise most of them. */
export async function weighWords(
  db: Reader,
  userId: string,
  words: ReadonlyMap<string, number>,
  filter: Filter,
  { frequent, promising, candidates }: Breadth
) {
  const filters = filterValues(filter)
  // The best words may stand only in sessions that a filter leaves out.
  const within = filters.length > 0 ? Number.POSITIVE_INFINITY : promising
  const values = [userId, [...words.keys()], [...words.values()], candidates, frequent, within, ...filters]
  const [row] = await db.run<WordsRow>(wordsStatement(filter), values)
  const worths = (row?.[1] ?? []).map(([stem, byPassage, bySession]): Worth => ({ stem, byPassage, bySession }))
  return { sessionIds: row?.[0] ?? [], worths, usualPassages: row?.[2] ?? 1 }
}

/** The sessions with the passages nearest to the vector, and how near they are; from the owner's index if there is one. */
export async function listNearest(
  db: Reader,
  userId: string,
  { model, dimension, text }: QueryVector,
  filter: Filter,
  { candidates, enough }: Pick<Breadth, 'candidates' | 'enough'>,
  index?: VectorIndex
) {
  const filters = filterValues(filter)
  const fromIndex = (of: VectorIndex, passages: number) =>
    db.run<[string, number]>(indexedStatement(of, filter, passages), [userId, text, candidates, ...filters])
  if (index && (filters.length === 0 || (await leavesMany(db, userId, filter)))) {
    const first = await fromIndex(index, FROM_INDEX.usual)
    if (first.length >= enough) return new Map(first)
    // What a filter leaves may be far from the query, and an index is not searched that far.
    if (filters.length === 0) return new Map(await fromIndex(index, FROM_INDEX.wide))
  }
  return new Map(await db.run<[string, number]>(nearestStatement(filter), [userId, model, dimension, text, candidates, ...filters]))
}

async function leavesMany(db: Reader, userId: string, filter: Filter) {
  const [row] = await db.run<[boolean]>(wideStatement(filter), [userId, ...filterValues(filter)])
  return row?.[0] ?? false
}

/** How well a session answers, in parts that are still to be put together. */
export interface Scored extends WordScores {
  sessionId: string
  /** Of its nearest passage; undefined where none was compared. */
  likeness: number | undefined
}

type PlaceRow = [number, number | null, null] | [number, null, number, Place['part'], number, number, string, string]

/** What the words score in each of the sessions; those that are gone or not completed are left out. */
export async function scoreSessions(
  db: Reader,
  userId: string,
  sessionIds: string[],
  { worths, usualPassages }: { worths: Worth[]; usualPassages: number }
): Promise<Omit<Scored, 'likeness'>[]> {
  if (sessionIds.length === 0) return []
  const rows = await db.run<PlaceRow>(PLACES_OF, [userId, sessionIds, worths.map(({ stem }) => stem)])
  const sessions = new Map<number, { length: number; places: Place[] }>()
  for (const row of rows) {
    const session = sessions.get(row[0]) ?? { length: usualPassages, places: [] }
    sessions.set(row[0], session)
    if (row[2] === null) {
      session.length = row[1] ?? usualPassages
      continue
    }
    const [, , word, part, passages, most, ordinals, weights] = row
    session.places.push({ word: word - 1, part, passages, most, ordinals: numbersOf(ordinals), weights: numbersOf(weights) })
  }
  return [...sessions].flatMap(([n, { length, places }]) => {
    const sessionId = sessionIds[n - 1]
    return sessionId === undefined ? [] : [{ sessionId, ...scoreOfPlaces(places, worths, length, usualPassages) }]
  })
}

/** Of an array of numbers as the database writes it; read as JSON in half the time that splitting it takes. */
function numbersOf(text: string): number[] {
  return JSON.parse(`[${text.slice(1, -1)}]`)
}

/** How near the nearest passage of each session is; a session without vectors is left out. */
export async function findLikenesses(db: Reader, userId: string, near: QueryVector, sessionIds: string[]) {
  const rows = await db.run<[string, number]>(LIKENESSES, [userId, ...valuesOf(near), sessionIds])
  return new Map(rows)
}

export interface FoundPassage {
  start: number | null
  end: number | null
  text: string
  /** What its words are worth. */
  score: number
  likeness: number | undefined
}

export type Found = NonNullable<Awaited<ReturnType<typeof findFound>>[number]>

type FoundRow = [
  ...[string, string, string | null, string, PhoneMetadata | null, string | null, string | null, string | null],
  [number | null, number | null, string, number, number | null][] | null
]

/** What the answer tells of those sessions, with their best passages; a session that is gone meanwhile is left out. */
export async function findFound(
  db: Reader,
  userId: string,
  shown: Pick<Scored, 'sessionId' | 'passages'>[],
  { likenessWeight, passages: all }: { likenessWeight: number; passages: boolean },
  near: QueryVector | undefined
) {
  const statement = all ? FOUND.best : FOUND.one
  const ids = shown.map(({ sessionId }) => sessionId)
  const values = [userId, ids, ...columnsOf(shown), likenessWeight, ...(near ? valuesOf(near) : [])]
  const rows = await db.run<FoundRow>(near ? statement.near : statement.byWords, values)
  return rows.map(([id, title, timestamp, type, phone, language, summary, notes, passages]) => ({
    item: { id, title, timestamp, type, ...(phone && { phone }) },
    language,
    summary,
    notes,
    passages: (passages ?? []).map(
      ([start, end, text, score, likeness]): FoundPassage => ({ start, end, text, score, likeness: likeness ?? undefined })
    )
  }))
}

function columnsOf(shown: Pick<Scored, 'passages'>[]) {
  const worded = shown.flatMap(({ passages }, at) => [...passages].map(([ordinal, score]) => ({ n: at + 1, ordinal, score })))
  return [worded.map(({ n }) => n), worded.map(({ ordinal }) => ordinal), worded.map(({ score }) => score)]
}

function valuesOf({ model, dimension, text }: QueryVector) {
  return [model, dimension, text]
}
