import { LIMITS } from '../contract/limits.ts'
import type { SearchResult } from '../contract/search.ts'
import type { Reader } from '../db/open.ts'
import { wordsOf } from '../terms/words.ts'
import { excerptsOf } from './excerpts.ts'
import type { Filter } from './filter.ts'
import { type Ranked, rankSessions, type Weights } from './fuse.ts'
import { findFound, listNearest, type QueryVector, type Ranking, scoreSessions, weighWords } from './queries.ts'
import type { QueryVectors } from './query-vectors.ts'
import type { Stems } from './stems.ts'
import type { VectorIndexes } from './vector-indexes.ts'

export interface Search {
  db: Reader
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
const CANDIDATES = 200
/** More words than a summary has: of a longer query the longest count, which are the rarest. */
const MOST_WORDS = 128

/** The owner's sessions that answer the query best, by words and by meaning. */
export async function searchSessions(
  search: Search,
  userId: string,
  { query, limit, filter, passages }: { query: string; limit: number; filter: Filter; passages: boolean }
): Promise<Answer> {
  const { db, stems, weights } = search
  const words = mostTelling([...new Set(wordsOf(query))])
  if (words.length === 0) return { results: [], mode: 'hybrid' }
  const [weighed, { near, nearest }] = await Promise.all([
    weighWords(db, userId, words, filter, CANDIDATES),
    findNearest(search, userId, query, filter)
  ])
  const mode = near ? 'hybrid' : 'lexical'
  const candidates = [...new Set([...weighed.sessionIds, ...nearest])]
  if (candidates.length === 0) return { results: [], mode }

  const most = weighed.worths.reduce((sum, { byPassage, bySession }) => sum + byPassage + bySession, 0)
  const likenessWeight = weights.passage * Math.max(most, 1)
  const scored = await scoreSessions(db, userId, candidates, weighed, likenessWeight, near)
  const ranked = rankSessions(scored, weighed.worths, weights).slice(0, limit)
  const kept = ranked.map(one => ({ ...one, passages: one.passages.slice(0, passages ? LIMITS.passages : 1) }))

  const found = await findFound(db, userId, kept)
  const rankings = new Map(kept.map(one => [one.sessionId, rankingOf(one, likenessWeight, Math.max(most, 1))]))
  const excerpts = await excerptsOf(found, rankings, weighed.worths, stems)
  const bySession = new Map(found.map(({ item }, at) => [item.id, { item, excerpt: excerpts[at] }]))
  const results = kept.flatMap(({ sessionId, likeness }) => {
    const { item, excerpt } = bySession.get(sessionId) ?? {}
    if (!item || !excerpt) return []
    const { phone, ...rest } = item
    const result: SearchResult = {
      ...rest,
      ...(likeness !== undefined && { similarity: rounded(Math.min(Math.max(likeness, 0), 1)) }),
      snippet: excerpt.snippet,
      ...(passages && { passages: excerpt.passages }),
      ...(phone && { phone })
    }
    return [result]
  })
  return { results, mode }
}

async function findNearest({ db, vectors, indexes }: Search, userId: string, query: string, filter: Filter) {
  const vector = await vectors.find(query)
  if (!vector) return { near: undefined, nearest: [] }
  const near: QueryVector = { model: vectors.model, vector }
  const index = indexes.find(userId, vectors.model, vector.length)
  return { near, nearest: await listNearest(db, userId, near, filter, CANDIDATES, index) }
}

function rankingOf({ passages }: Ranked, likenessWeight: number, most: number): Ranking[] {
  return passages.map(({ ordinal, score, likeness }) => ({
    ordinal,
    byWords: score > 0,
    score: rounded((score + likenessWeight * (likeness ?? 0)) / most)
  }))
}

function mostTelling(words: string[]) {
  return words.length <= MOST_WORDS ? words : words.toSorted((a, b) => b.length - a.length).slice(0, MOST_WORDS)
}

function rounded(value: number) {
  return Math.round(value * 1e4) / 1e4
}
