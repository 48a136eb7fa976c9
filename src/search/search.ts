import type { SearchResult } from '../contract/search.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import type { Database, Queryable } from '../db/open.ts'
import { wordsOf } from '../search-index/terms.ts'
import { findFound, selectExcerpts } from './excerpts.ts'
import { findLexicalCandidates, findQueryTerms, type LexicalScore, scoreSessions, weighWords } from './lexical.ts'
import { findSimilarities, listNearest, type QueryEmbedder, type VectorIndexes } from './semantic.ts'

export interface Search {
  db: Database
  /** Reads candidates, possibly from a replica that lags. */
  replica: Queryable
  slow: Queryable
  embedder: QueryEmbedder
  indexes: VectorIndexes
  /** Instead of `SIMILARITY_WEIGHTS`. */
  weights?: typeof SIMILARITY_WEIGHTS
}

export interface SearchInput {
  query: string
  limit: number
  filter: Filter
  passages: boolean
}

export interface Answer {
  results: SearchResult[]
  /** Whether similarity counted, or words only. */
  mode: 'hybrid' | 'lexical'
}

/** The candidates are this many sessions with the largest lexical bounds, and as many with the nearest passages. */
export const CANDIDATES = 100
/** The weights of similarity beside the lexical score of sessions and of their passages, as z-scores of each. */
export const SIMILARITY_WEIGHTS = { session: 0.6, passage: 0.3 }

/** Returns the owner's sessions that answer the query best, by words and by meaning. */
export async function searchSessions(search: Search, userId: string, { query, limit, filter, passages }: SearchInput): Promise<Answer> {
  const { db, replica, slow, weights = SIMILARITY_WEIGHTS } = search
  const words = weighWords(wordsOf(query))
  if (words.size === 0) return { results: [], mode: 'hybrid' }
  const allowed = allowedSessions(userId, filter)
  const [lexical, { near, nearest }] = await Promise.all([
    findQueryTerms(db, userId, words).then(terms => findLexicalCandidates(replica, userId, terms, allowed, CANDIDATES)),
    findNearest(search, userId, query, allowed)
  ])

  const others = lexical.sessionIds.filter(sessionId => !nearest.has(sessionId))
  const [scored, similarities] = await Promise.all([
    scoreSessions(replica, userId, [...nearest.keys(), ...others], lexical),
    near ? findSimilarities(replica, userId, near, sql`and session_id = any(${sql.param(others)}::text[])`, CANDIDATES) : new Map()
  ])
  const similarityOf = (sessionId: string): number | undefined => nearest.get(sessionId) ?? similarities.get(sessionId)
  const ranked = rankSessions(
    scored.map(one => ({ ...one, similarity: similarityOf(one.sessionId) })),
    weights.session
  )
  const found = await findFound(slow, userId, ranked.slice(0, limit), { near, similarityWeight: weights.passage, passages })
  const excerpts = await selectExcerpts(db, found, lexical.idfs)
  const results = found.map(({ id, title, timestamp, type, phone }, at) => {
    const similarity = similarityOf(id)
    return {
      ...{ id, title, timestamp, type },
      ...(similarity !== undefined && { similarity: Math.round(Math.min(Math.max(similarity, 0), 1) * 1e4) / 1e4 }),
      snippet: excerpts[at]?.snippet ?? '',
      ...(passages && { passages: excerpts[at]?.passages }),
      ...(phone && { phone })
    }
  })
  return { results, mode: near ? 'hybrid' : 'lexical' }
}

async function findNearest({ replica, embedder, indexes }: Search, userId: string, query: string, allowed: SQL | undefined) {
  const near = await embedder.find(query)
  if (!near) return { near, nearest: new Map<string, number>() }
  const index = indexes.find({ userId, model: near.model, dimension: near.dimension })
  return { near, nearest: await listNearest(replica, userId, near, allowed, CANDIDATES, index) }
}

export interface Scored extends LexicalScore {
  /** The similarity of the nearest passage; undefined where the session has no embeddings. */
  similarity: number | undefined
}

/**
 * Ranks sessions, best first, by the sum of the z-scores of lexical score and similarity: ranks would lose the distance between results,
 * and cosines of different models are not comparable. A session without embeddings has the mean similarity.
 */
export function rankSessions(scored: readonly Scored[], similarityWeight: number): Scored[] {
  const byWords = zScores(scored.map(({ score }) => score))
  const byMeaning = zScores(scored.map(({ similarity }) => similarity))
  return scored
    .map((one, at) => ({ one, rank: (byWords[at] ?? 0) + similarityWeight * (byMeaning[at] ?? 0) }))
    .sort((a, b) => b.rank - a.rank || (a.one.sessionId < b.one.sessionId ? 1 : -1))
    .map(({ one }) => one)
}

/** The distances from the mean in standard deviations; 0 for unknown values. */
function zScores(values: readonly (number | undefined)[]): number[] {
  const known = values.filter(value => value !== undefined)
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length
  const deviation = Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / known.length)
  return values.map(value => (value === undefined || !(deviation > 0) ? 0 : (value - mean) / deviation))
}

export interface Filter {
  type?: string | undefined
  since?: string | undefined
  until?: string | undefined
  folderId?: string | undefined
  personId?: string | undefined
  tags?: { mode: 'any' | 'all'; names: string[] } | undefined
}

/** The completed sessions that the filter leaves; undefined where it is empty. */
function allowedSessions(userId: string, filter: Filter): SQL | undefined {
  const { type, since, until, folderId, personId, tags } = filter
  const member = (table: SQL, condition: SQL) =>
    sql`and exists (select from ${table} m where m.user_id = ${userId} and m.${condition} and m.session_id = s.session_id)`
  const conditions = [
    type !== undefined && sql`and s.type = ${type}`,
    since !== undefined && sql`and s.sort_at >= ${since}::timestamptz`,
    until !== undefined && sql`and s.sort_at < ${until}::timestamptz`,
    folderId !== undefined && member(sql`folder_sessions`, sql`folder_id = ${folderId}`),
    personId !== undefined && member(sql`session_people`, sql`person_id = ${personId}`),
    tags && sql`and s.tags ${tags.mode === 'all' ? sql`@>` : sql`&&`} ${sql.param(tags.names)}::text[]`
  ].filter(condition => condition !== undefined && condition !== false)
  if (conditions.length === 0) return undefined
  return sql`select s.session_id from sessions s where s.user_id = ${userId} and s.state = 'completed' ${sql.join(conditions, sql` `)}`
}
