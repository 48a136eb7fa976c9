import type { SearchResult } from '../contract/search.ts'
import type { Reader } from '../db/open.ts'
import { wordsOf } from '../terms/words.ts'
import { weightsOfWords } from './asking.ts'
import { type Excerpts, excerptsOf } from './excerpts.ts'
import type { Filter } from './filter.ts'
import { listContenders, nearestUnknown, rankSessions, type Weights } from './fuse.ts'
import {
  type Found,
  type FoundPassage,
  findFound,
  findLikenesses,
  listNearest,
  type QueryVector,
  type Scored,
  scoreSessions,
  weighWords
} from './queries.ts'
import type { QueryVectors } from './query-vectors.ts'
import type { Worth } from './score.ts'
import type { Stems } from './stems.ts'
import type { VectorIndexes } from './vector-indexes.ts'

export interface Search {
  /** Asked what is where; what it knows may be a little older than what is shown. */
  comparing: Reader
  showing: Reader
  vectors: QueryVectors
  indexes: VectorIndexes
  stems: Stems
  /** What likeness counts beside words. */
  weights: Weights
}

export interface Answer {
  results: SearchResult[]
  /** Whether meaning was compared, or words only. */
  mode: 'hybrid' | 'lexical'
}

/** So many sessions are looked at closely: those that promise most by their words, and those with the nearest passages. */
const CANDIDATES = 100
/**
 * Of a query of more words than `asked` the longest count, which are the rarest; of those, so many that are worth most are looked up in the
 * candidates. A summary has fewer words. In a large library each costs, and fewer must do.
 */
const USUAL = { asked: 64, looked: 40 }
const LARGE = { asked: 12, looked: 12 }

/** The owner's sessions that answer the query best, by words and by meaning. */
export async function searchSessions(
  search: Search,
  userId: string,
  { query, limit, filter, passages }: { query: string; limit: number; filter: Filter; passages: boolean }
): Promise<Answer> {
  const { showing, stems, weights, indexes } = search
  const most = indexes.isLarge(userId) ? LARGE : USUAL
  const words = longest(weightsOfWords(wordsOf(query)), most.asked)
  if (words.size === 0) return { results: [], mode: 'hybrid' }
  const [worded, { near, nearest }] = await Promise.all([
    scoreWorded(search, userId, words, filter, most.looked),
    findNearest(search, userId, query, filter)
  ])
  const mode = near ? 'hybrid' : 'lexical'
  const { weighed, worths } = worded
  const worth = worthOfAll(weighed.worths)
  const scored = await scoreFound(search, userId, { ...worded, nearest, near }, { limit, worth })
  if (scored.length === 0) return { results: [], mode }

  const likenessWeight = weights.passage * worth
  const ranked = rankSessions(scored, worth, weights).slice(0, limit)
  const found = await findFound(showing, userId, ranked, { likenessWeight, passages }, near)
  const scoreOf = ({ score, likeness = 0 }: FoundPassage) => rounded((score + likenessWeight * likeness) / worth)
  const excerpts = await excerptsOf(found, worths, scoreOf, stems)
  const bySession = new Map(found.map(({ item }, at) => [item.id, { item, excerpt: excerpts[at] }]))
  const results = ranked.flatMap(({ sessionId, likeness }) => {
    const { item, excerpt } = bySession.get(sessionId) ?? {}
    return item && excerpt ? [resultOf(item, excerpt, likeness, passages)] : []
  })
  return { results, mode }
}

interface FoundByWords {
  weighed: Awaited<ReturnType<typeof weighWords>>
  /** Of the words that are looked up in the sessions. */
  worths: Worth[]
  scored: Omit<Scored, 'likeness'>[]
}

interface FoundByMeaning {
  /** Without it, nothing was compared. */
  near: QueryVector | undefined
  nearest: ReadonlyMap<string, number>
}

/** What the words are worth, and what they score in the sessions that promise most of them: done while the query's vector is made. */
async function scoreWorded(
  { comparing }: Search,
  userId: string,
  words: ReadonlyMap<string, number>,
  filter: Filter,
  looked: number
): Promise<FoundByWords> {
  const weighed = await weighWords(comparing, userId, words, filter, CANDIDATES)
  const worths = tellingOf(weighed.worths, looked)
  const { sessionIds } = weighed
  const scored = sessionIds.length > 0 ? await scoreSessions(comparing, userId, sessionIds, { ...weighed, worths }) : []
  return { weighed, worths, scored }
}

/** Words that nearly every passage has cost the most to look at and tell the least. */
function tellingOf(worths: Worth[], looked: number) {
  const most = Math.max(...worths.map(worthOf))
  const telling = worths.filter(worth => worthOf(worth) >= most / 20)
  return telling.toSorted((a, b) => worthOf(b) - worthOf(a)).slice(0, looked)
}

function worthOf({ byPassage, bySession }: Worth) {
  return byPassage + bySession
}

/** What words can score grows with the query, also with words that nobody says. */
export function worthOfAll(worths: Worth[]) {
  return Math.max(
    worths.reduce((sum, worth) => sum + worthOf(worth), 0),
    1
  )
}

function resultOf({ phone, ...item }: Found['item'], excerpt: Excerpts, likeness: number | undefined, passages: boolean): SearchResult {
  return {
    ...item,
    ...(likeness !== undefined && { similarity: rounded(Math.min(Math.max(likeness, 0), 1)) }),
    snippet: excerpt.snippet,
    ...(passages && { passages: excerpt.passages }),
    ...(phone && { phone })
  }
}

async function findNearest(
  { comparing, vectors, indexes }: Search,
  userId: string,
  query: string,
  filter: Filter
): Promise<FoundByMeaning> {
  const vector = await vectors.find(query)
  if (!vector) return { near: undefined, nearest: new Map() }
  const near: QueryVector = { model: vectors.model, vector }
  const index = indexes.find(userId, vectors.model, vector.length)
  return { near, nearest: await listNearest(comparing, userId, near, filter, CANDIDATES, index) }
}

/**
 * The sessions found by words and those found by meaning, each scored by both. What the words have found and the nearest passages have not is
 * compared where it may come to be shown, and left out elsewhere; meanwhile the others' words are scored.
 */
export async function scoreFound(
  search: Pick<Search, 'comparing' | 'weights'>,
  userId: string,
  { weighed, worths, scored, nearest, near }: FoundByWords & FoundByMeaning,
  asked: { limit: number; worth: number }
): Promise<Scored[]> {
  const worded = scored.map(one => ({ ...one, likeness: nearest.get(one.sessionId) }))
  if (!near) return worded
  const found = new Set(weighed.sessionIds)
  const others = [...nearest].filter(([sessionId]) => !found.has(sessionId)).map(([sessionId, likeness]) => ({ sessionId, likeness }))
  // Of the others only their likeness is known yet: by words they score nothing or more.
  const least = others.map(one => ({ ...one, best: 0, everywhere: 0, about: 0, passages: NO_PASSAGES }))
  const [alsoScored, contenders] = await Promise.all([
    others.length > 0 ? scoreSessions(search.comparing, userId, idsOf(others), { ...weighed, worths }) : [],
    compareContenders(search, userId, near, [...worded, ...least], asked)
  ])
  return [
    ...worded.filter(({ likeness }) => likeness !== undefined),
    ...contenders,
    ...alsoScored.map(one => ({ ...one, likeness: nearest.get(one.sessionId) }))
  ]
}

const NO_PASSAGES: Scored['passages'] = new Map()

/** The contenders with their likeness. Once those that promise most are compared, few of the rest are contenders still. */
async function compareContenders(
  { comparing, weights }: Pick<Search, 'comparing' | 'weights'>,
  userId: string,
  near: QueryVector,
  scored: Scored[],
  { limit, worth }: { limit: number; worth: number }
): Promise<Scored[]> {
  const nearest = nearestUnknown(scored)
  const contendersOf = (sessions: Scored[]) => listContenders(sessions, limit, worth, weights, nearest)
  const compare = async (contenders: Scored[]) => {
    if (contenders.length === 0) return []
    const likenesses = await findLikenesses(comparing, userId, near, idsOf(contenders))
    return contenders.map(one => ({ ...one, likeness: likenesses.get(one.sessionId) }))
  }

  const contenders = contendersOf(scored)
  const first = await compare(contenders.slice(0, limit))
  const others = contenders.slice(limit)
  const known = scored.filter(({ likeness }) => likeness !== undefined)
  const still = new Set(idsOf(contendersOf([...known, ...first, ...others])))
  return [...first, ...(await compare(others.filter(({ sessionId }) => still.has(sessionId))))]
}

function idsOf(sessions: { sessionId: string }[]) {
  return sessions.map(({ sessionId }) => sessionId)
}

function longest(words: Map<string, number>, most: number) {
  return words.size <= most ? words : new Map([...words].toSorted(([a], [b]) => b.length - a.length).slice(0, most))
}

function rounded(value: number) {
  return Math.round(value * 1e4) / 1e4
}
