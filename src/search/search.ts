import type { SearchResult } from '../contract/search.ts'
import type { Queryable } from '../db/open.ts'
import { wordsOf } from '../search-index/words.ts'
import { type LexicalCandidates, type SemanticCandidates, scoreCandidates } from './candidates.ts'
import { type Excerpts, selectExcerpts } from './excerpts.ts'
import type { Filter } from './filter.ts'
import { rankSessions } from './fuse.ts'
import { type Found, type FoundPassage, findFound, findLexicalCandidates, listNearest } from './queries.ts'
import { type QueryEmbeddings, toQueryEmbedding } from './query-embeddings.ts'
import { weighQueryTerms } from './query-terms.ts'
import { idfOf, type TermIdf } from './score.ts'
import type { CandidateLimits } from './statements.ts'
import type { Stems } from './stems.ts'
import type { VectorIndexes } from './vector-indexes.ts'
import type { Weights } from './weights.ts'

export interface Search {
  /** Reads candidates, possibly from a replica that lags. */
  replica: Queryable
  slow: Queryable
  vectors: QueryEmbeddings
  indexes: VectorIndexes
  stems: Stems
  /** Weights of similarity beside lexical scores. */
  weights: Weights
}

export interface Answer {
  results: SearchResult[]
  /** Whether similarity counted, or words only. */
  mode: 'hybrid' | 'lexical'
}

/** Only the longest terms of a query are used, which are the rarest. A summary as a query has fewer. */
const MAX_QUERY_TERMS = 64
/** The terms with the largest IDF that are scored in the candidates. */
const MAX_SCORED_TERMS = 40

/**
 * Limits of the candidate set. In a large library each term and each session costs, and fewer suffice: of 2,000 sessions, 50 candidates
 * give the results of 200.
 */
const USUAL = { frequent: 64, postingsPerSession: 64, candidates: 100 }
const LARGE = { frequent: 12, postingsPerSession: 3, candidates: 50 }
/** Terms times sessions in a large library: a long query is more specific and needs fewer sessions. */
const MAX_POSTINGS = 900

/** The limits for a query of `words` terms and `limit` results. */
export function candidateLimits(large: boolean, words: number, limit: number): CandidateLimits {
  const most = large ? LARGE : USUAL
  const affordable = large ? Math.ceil(MAX_POSTINGS / Math.min(words, MAX_SCORED_TERMS)) : most.candidates
  return { ...most, candidates: Math.max(Math.min(affordable, most.candidates), 2 * limit), enough: limit }
}

/** Returns the owner's sessions that answer the query best, by words and by meaning. */
export async function searchSessions(
  search: Search,
  userId: string,
  { query, limit, filter, passages }: { query: string; limit: number; filter: Filter; passages: boolean }
): Promise<Answer> {
  const { slow, stems, weights, indexes } = search
  const words = longest(weighQueryTerms(wordsOf(query)), MAX_QUERY_TERMS)
  if (words.size === 0) return { results: [], mode: 'hybrid' }
  const breadth = candidateLimits(indexes.isLarge(userId), words.size, limit)
  const [{ idf, idfs }, { near }, scored] = await scoreCandidates(
    search,
    userId,
    weigh(search, userId, words, filter, breadth),
    findNearest(search, userId, query, filter, breadth),
    limit
  )
  const mode = near ? 'hybrid' : 'lexical'
  if (scored.length === 0) return { results: [], mode }

  const similarityWeight = weights.passage * idf
  const ranked = rankSessions(scored, idf, weights).slice(0, limit)
  const found = await findFound(slow, userId, ranked, { similarityWeight, passages }, near)
  const scoreOf = ({ score, similarity = 0 }: FoundPassage) => rounded((score + similarityWeight * similarity) / idf)
  const excerpts = await selectExcerpts(found, idfs, scoreOf, stems)
  const bySession = new Map(found.map(({ item }, at) => [item.id, { item, excerpt: excerpts[at] }]))
  const results = ranked.flatMap(({ sessionId, similarity }) => {
    const { item, excerpt } = bySession.get(sessionId) ?? {}
    return item && excerpt ? [resultOf(item, excerpt, similarity, passages)] : []
  })
  return { results, mode }
}

/** Finds the lexical candidates while the query is embedded. */
async function weigh(
  { replica }: Search,
  userId: string,
  words: ReadonlyMap<string, number>,
  filter: Filter,
  breadth: CandidateLimits
): Promise<LexicalCandidates> {
  const { idfs, ...found } = await findLexicalCandidates(replica, userId, words, filter, breadth)
  return { ...found, idfs: selectTerms(idfs), idf: totalIdf(idfs) }
}

/** Very frequent terms cost the most and contribute the least, so they are dropped. */
function selectTerms(idfs: TermIdf[]) {
  const most = Math.max(...idfs.map(idfOf))
  const telling = idfs.filter(idf => idfOf(idf) >= most / 20)
  return telling.toSorted((a, b) => idfOf(b) - idfOf(a)).slice(0, MAX_SCORED_TERMS)
}

/** The sum of all IDF, including that of terms that occur nowhere: scores are relative to it. */
export function totalIdf(idfs: TermIdf[]) {
  return Math.max(
    idfs.reduce((sum, idf) => sum + idfOf(idf), 0),
    1
  )
}

function resultOf({ phone, ...item }: Found['item'], excerpt: Excerpts, similarity: number | undefined, passages: boolean): SearchResult {
  return {
    ...item,
    ...(similarity !== undefined && { similarity: rounded(Math.min(Math.max(similarity, 0), 1)) }),
    snippet: excerpt.snippet,
    ...(passages && { passages: excerpt.passages }),
    ...(phone && { phone })
  }
}

async function findNearest(
  { replica, vectors, indexes }: Search,
  userId: string,
  query: string,
  filter: Filter,
  breadth: CandidateLimits
): Promise<SemanticCandidates> {
  const vector = await vectors.find(query)
  if (!vector) return { near: undefined, nearest: new Map() }
  const near = toQueryEmbedding(vectors.model, vector)
  const index = indexes.find(userId, vectors.model, vector.length)
  return { near, nearest: await listNearest(replica, userId, near, filter, breadth, index) }
}

function longest(words: Map<string, number>, most: number) {
  return words.size <= most ? words : new Map([...words].toSorted(([a], [b]) => b.length - a.length).slice(0, most))
}

function rounded(value: number) {
  return Math.round(value * 1e4) / 1e4
}
