import type { SearchResult } from '../contract/search.ts'
import type { Reader } from '../db/open.ts'
import { wordsOf } from '../terms/words.ts'
import { weightsOfWords } from './asking.ts'
import { type Excerpts, excerptsOf } from './excerpts.ts'
import type { Filter } from './filter.ts'
import { listContenders, rankSessions, type Weights } from './fuse.ts'
import {
  type Found,
  type FoundPassage,
  findFound,
  findLikenesses,
  listNearest,
  type QueryVector,
  type Scored,
  scoreSessions,
  type Worth,
  weighWords
} from './queries.ts'
import type { QueryVectors } from './query-vectors.ts'
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
const LARGE = { asked: 16, looked: 12 }

/** The owner's sessions that answer the query best, by words and by meaning. */
export async function searchSessions(
  search: Search,
  userId: string,
  { query, limit, filter, passages }: { query: string; limit: number; filter: Filter; passages: boolean }
): Promise<Answer> {
  const { comparing, showing, stems, weights, indexes } = search
  const most = indexes.isLarge(userId) ? LARGE : USUAL
  const words = longest(weightsOfWords(wordsOf(query)), most.asked)
  if (words.size === 0) return { results: [], mode: 'hybrid' }
  const [worded, { near, nearest }] = await Promise.all([
    scoreWorded(search, userId, words, filter, most.looked),
    findNearest(search, userId, query, filter)
  ])
  const mode = near ? 'hybrid' : 'lexical'
  const { weighed, worths } = worded
  const others = [...nearest.keys()].filter(id => !weighed.sessionIds.includes(id))
  const alsoScored = others.length > 0 ? await scoreSessions(comparing, userId, others, { ...weighed, worths }) : []
  const byWords = [...worded.scored, ...alsoScored].map(one => ({ ...one, likeness: nearest.get(one.sessionId) }))
  if (byWords.length === 0) return { results: [], mode }

  const worth = worthOfAll(weighed.worths)
  const likenessWeight = weights.passage * worth
  const scored = near ? await compareContenders(search, userId, near, byWords, { limit, worth }) : byWords
  const ranked = rankSessions(scored, worth, weights).slice(0, limit)
  const ids = ranked.map(({ sessionId }) => sessionId)
  const found = await findFound(showing, userId, ids, { worths, likenessWeight, passages }, near)
  const scoreOf = ({ score, likeness = 0 }: FoundPassage) => rounded((score + likenessWeight * likeness) / worth)
  const excerpts = await excerptsOf(found, worths, scoreOf, stems)
  const bySession = new Map(found.map(({ item }, at) => [item.id, { item, excerpt: excerpts[at] }]))
  const results = ranked.flatMap(({ sessionId, likeness }) => {
    const { item, excerpt } = bySession.get(sessionId) ?? {}
    return item && excerpt ? [resultOf(item, excerpt, likeness, passages)] : []
  })
  return { results, mode }
}

/** What the words are worth, and what they score in the sessions that promise most of them: done while the query's vector is made. */
async function scoreWorded({ comparing }: Search, userId: string, words: ReadonlyMap<string, number>, filter: Filter, looked: number) {
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

async function findNearest({ comparing, vectors, indexes }: Search, userId: string, query: string, filter: Filter) {
  const vector = await vectors.find(query)
  if (!vector) return { near: undefined, nearest: new Map<string, number>() }
  const near: QueryVector = { model: vectors.model, vector }
  const index = indexes.find(userId, vectors.model, vector.length)
  return { near, nearest: await listNearest(comparing, userId, near, filter, CANDIDATES, index) }
}

/** What the words have found and the nearest passages have not is compared as well, where it may come to be shown; the rest is left out. */
export async function compareContenders(
  { comparing, weights }: Pick<Search, 'comparing' | 'weights'>,
  userId: string,
  near: QueryVector,
  scored: Scored[],
  { limit, worth }: { limit: number; worth: number }
): Promise<Scored[]> {
  const contenders = listContenders(scored, limit, worth, weights)
  const known = scored.filter(({ likeness }) => likeness !== undefined)
  if (contenders.length === 0) return known
  const likenesses = await findLikenesses(
    comparing,
    userId,
    near,
    contenders.map(({ sessionId }) => sessionId)
  )
  return [...known, ...contenders.map(one => ({ ...one, likeness: likenesses.get(one.sessionId) }))]
}

function longest(words: Map<string, number>, most: number) {
  return words.size <= most ? words : new Map([...words].toSorted(([a], [b]) => b.length - a.length).slice(0, most))
}

function rounded(value: number) {
  return Math.round(value * 1e4) / 1e4
}
