import { LIMITS } from '../../contract/limits.ts'
import type { Interpretation, SearchRequest, SearchResponse, SearchResult } from '../../contract/search.ts'
import type { EmbeddingGap, QueryEmbedder } from '../../platform/ai/query-embedder.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Database, Queryable } from '../../platform/db/open.ts'
import { requireFieldScope } from '../access/actor.ts'
import { operation } from '../access/operation.ts'
import { queryWordsOf, stemByLibrary } from '../library/index/terms.ts'
import { wholeTitleTerm } from '../library/index/title-terms.ts'
import { requireFolderId } from '../library/list.ts'
import { requirePerson } from '../library/person-row.ts'
import type { Services } from '../services.ts'
import { findLexicalCandidates, type LexicalScore, scoreSessions } from './candidates.ts'
import { findFound, type Shown, selectExcerpts } from './excerpts.ts'
import { asksAboutPresent, withNewest } from './present.ts'
import { allowedSessions, countMeant, type Filter, interpretQuery, listInterpreted } from './query.ts'
import { findQueryTerms, weighWords } from './query-terms.ts'
import { findQuoted, phrasesOf, type QuotedPlace } from './quoted.ts'
import { findSimilarities, listNearest, SIMILARITY_WEIGHT } from './similarities.ts'

type Searching = Pick<Services, 'db' | 'slow' | 'replica' | 'clock' | 'queryEmbedder'>

/** Searches the completed sessions of the user. The mode is `lexical` if only terms were compared; `byMeaning` has the ids of results without any term of the query. */
export const searchSessions = operation(
  'searchSessions',
  async (
    { db, slow, replica, clock, queryEmbedder: embedder }: Searching,
    actor,
    request: SearchRequest,
    { passages: most = LIMITS.passages, characters }: { passages?: number; characters?: number } = {}
  ): Promise<{ response: SearchResponse; mode: 'hybrid' | 'lexical'; byMeaning: ReadonlySet<string> }> => {
    const {
      query,
      limit,
      type,
      since,
      until,
      folder,
      person,
      tags: names,
      tag_mode,
      include_passages: passages
    } = request
    if (passages) requireFieldScope(actor, 'transcripts:read', 'include_passages')
    const { userId } = actor
    const folderId = folder === undefined ? undefined : await requireFolderId(db, userId, folder)
    const personId = person === undefined ? undefined : (await requirePerson(db, userId, person, 'person')).id
    const tags = names && names.length > 0 ? { mode: tag_mode, names } : undefined
    const { results, interpreted, mode, gap, byMeaning } = await findBestSessions(
      { db, replica, slow, embedder },
      userId,
      {
        query,
        limit,
        filter: { type, since, until, folderId, personId, tags },
        passages: passages ? most : undefined,
        characters,
        now: request.interpret ? clock.now() : undefined
      }
    )
    const warnings = gap && { warnings: [MEANING_LEFT_OUT[gap]] }
    return {
      response: { query, ...(interpreted && { interpreted }), results, total: results.length, ...warnings },
      mode,
      byMeaning
    }
  }
)

const MEANING_LEFT_OUT = {
  late: 'The words were compared and the meaning was not, because the embedding of the query did not arrive in time.',
  failed: 'The words were compared and the meaning was not, because the embedding of the query could not be made.'
}

interface Search {
  db: Database
  /** Reads candidates, possibly from a replica that lags. */
  replica: Queryable
  slow: Queryable
  embedder: QueryEmbedder
}

interface SearchInput {
  query: string
  limit: number
  filter: Filter
  /** The most passages of a result, if they are wanted, and the characters of each. By default they are whole. */
  passages: number | undefined
  characters?: number | undefined
  /** The instant at which the person and the period in the query are understood. Undefined to ignore them. */
  now?: Date | undefined
}

interface SearchAnswer {
  results: SearchResult[]
  /** `hybrid` if similarity counted, `lexical` if only terms did. */
  mode: 'hybrid' | 'lexical'
  /** The ids of results that have no term of the query, nor any other reason to match than their meaning. */
  byMeaning: ReadonlySet<string>
  interpreted?: Interpretation
  /** The reason why the query has no embedding, if it should have one. */
  gap?: EmbeddingGap
}

/**
 * The candidates are this many sessions with the largest lexical bounds, as many with the nearest passages, those with a quoted phrase, and
 * the newest that have the person and are in the period that the query names.
 */
export const CANDIDATES = 100
/** The weight that each of person and period adds to the z-scores of a session. */
const MEANT_WEIGHT = 4
/** The ten best sessions without this weight follow the first thirty, so that they stay within reach. */
const REACHABLE = 10
const FIRST_MEANT = 30
/** Each quoted phrase counts more than anything that is said. */
const PHRASE_WEIGHT = 1_000
/** A session counts most whose title is the query, and more than any passage if title, people and tags have all its words. */
const WHOLE_TITLE_WEIGHT = 10_000
const HEADING_WEIGHTS = { title: 100, names: 50 }
/** The number of results without any term of the query. */
const MAX_SEMANTIC_ONLY = 3

/** Returns the owner's sessions that answer the query best, by terms and by meaning. */
export async function findBestSessions(search: Search, userId: string, input: SearchInput): Promise<SearchAnswer> {
  const { db, replica, slow, embedder } = search
  const { query, limit, filter, passages, now } = input
  const { words: asked, compounds } = queryWordsOf(query)
  const words = weighWords(asked)
  if (words.size === 0) return { results: [], mode: 'hybrid', byMeaning: new Set() }
  const allowed = allowedSessions(userId, filter)
  const phrases = phrasesOf(query)
  const stemming = stemByLibrary(db, userId, [...words.keys(), ...compounds.map(({ joined }) => joined)])
  const interpreting = now && interpretQuery(db, userId, query, now)
  const querying = stemming.then(stems => findQueryTerms(replica, userId, words, stems, compounds))
  const embedding = embedder.find(query)
  const [terms, lexical, { near, gap }, nearest, quoted, understood, newest] = await Promise.all([
    querying,
    querying.then(terms => findLexicalCandidates(replica, userId, terms, allowed, CANDIDATES, wholeTitleTerm(query))),
    embedding,
    embedding.then(({ near }) =>
      near ? listNearest(replica, userId, near, allowed, CANDIDATES) : new Map<string, number>()
    ),
    stemming.then(stems => findQuoted(replica, userId, phrases, stems, allowed)),
    interpreting,
    interpreting?.then(meant => (meant ? listInterpreted(replica, userId, meant.meaning, allowed) : []))
  ])

  const candidates = [
    ...new Set([
      ...nearest.keys(),
      ...lexical.map(({ sessionId }) => sessionId),
      ...[...quoted.keys()].slice(0, CANDIDATES),
      ...(newest ?? [])
    ])
  ]
  const others = candidates.filter(sessionId => !nearest.has(sessionId))
  const [scored, similarities] = await Promise.all([
    scoreSessions(replica, userId, candidates, terms, understood && countMeant(userId, understood)),
    near
      ? findSimilarities(replica, userId, near, sql`and session_id = any(${sql.param(others)}::text[])`, others.length)
      : new Map()
  ])
  const similarityOf = (sessionId: string): number | undefined => nearest.get(sessionId) ?? similarities.get(sessionId)
  const known = scored.map(one => ({ ...one, similarity: similarityOf(one.sessionId) }))
  const titled = new Set(lexical.flatMap(({ sessionId, isWhole }) => (isWhole ? sessionId : [])))
  const writtenBonus = ({ sessionId, heading }: Scored) =>
    (titled.has(sessionId) ? WHOLE_TITLE_WEIGHT : 0) +
    (heading ? HEADING_WEIGHTS[heading] : 0) +
    PHRASE_WEIGHT * new Set(quoted.get(sessionId)?.map(({ phrase }) => phrase)).size
  const bonus = (one: Scored) => writtenBonus(one) + MEANT_WEIGHT * one.meant
  const ranked = rankSessions(known, bonus)
  const alone = understood ? rankSessions(known, writtenBonus) : ranked
  const reachable = new Set([...ranked.slice(0, FIRST_MEANT), ...alone.slice(0, REACHABLE), ...ranked])
  const inOrder = !understood && asksAboutPresent(query) ? withNewest([...reachable], limit) : [...reachable]
  const wanted = limitSemanticOnly(inOrder, bonus)
  const best = wanted.slice(0, limit)
  const shown = best.map(one => withQuoted(one, quoted.get(one.sessionId) ?? []))
  const found = await findFound(slow, userId, shown, near, passages ?? 1)
  const excerpts = await selectExcerpts(found, terms, phrases, input.characters)
  const results = found.map(({ id, title, timestamp, type, phone }, at) => {
    const similarity = similarityOf(id)
    return {
      id,
      title,
      timestamp,
      type,
      ...(similarity !== undefined && { similarity: Math.round(Math.min(Math.max(similarity, 0), 1) * 1e4) / 1e4 }),
      snippet: excerpts[at]?.snippet ?? '',
      ...(passages !== undefined && { passages: excerpts[at]?.passages }),
      ...(phone && { phone })
    }
  })
  return {
    results,
    mode: near ? 'hybrid' : 'lexical',
    byMeaning: new Set(best.flatMap(one => (hasReason(one, bonus) ? [] : [one.sessionId]))),
    ...(understood && { interpreted: understood.meaning }),
    ...(gap && { gap })
  }
}

interface Scored extends LexicalScore {
  /** The similarity of the nearest passage; undefined where the session has no embeddings. */
  similarity: number | undefined
}

/**
 * Ranks sessions, best first, by the sum of the z-scores of lexical score and similarity: ranks would lose the distance between results,
 * and cosines of different models are not comparable. A session without embeddings has the mean similarity.
 */
export function rankSessions(scored: readonly Scored[], bonusOf: (one: Scored) => number = () => 0): Scored[] {
  const byWords = zScore(scored.map(({ score }) => score))
  const byMeaning = zScore(scored.flatMap(({ similarity }) => similarity ?? []))
  const rankOf = (one: Scored) =>
    byWords(one.score) +
    SIMILARITY_WEIGHT * (one.similarity === undefined ? 0 : byMeaning(one.similarity)) +
    bonusOf(one)
  return scored
    .map(one => ({ one, rank: rankOf(one) }))
    .sort((a, b) => b.rank - a.rank || (a.one.sessionId < b.one.sessionId ? 1 : -1))
    .map(({ one }) => one)
}

/** Keeps only a few sessions without a query term or another reason to match, because some session is always nearest. */
function limitSemanticOnly(ranked: readonly Scored[], bonusOf: (one: Scored) => number) {
  let semanticOnly = 0
  return ranked.filter(one => hasReason(one, bonusOf) || ++semanticOnly <= MAX_SEMANTIC_ONLY)
}

/** Returns whether a session matches by more than its meaning. */
function hasReason(one: Scored, bonusOf: (one: Scored) => number) {
  return one.score > 0 || bonusOf(one) > 0
}

/** The passages with a quoted phrase become the best of the session. */
function withQuoted(one: Scored, places: readonly QuotedPlace[]): Shown {
  const bonus = 2 * Math.max(...one.passages.values(), 1)
  const quoted = places.flatMap(({ ordinal }) =>
    ordinal === null ? [] : [[ordinal, (one.passages.get(ordinal) ?? 0) + bonus] as const]
  )
  const seams = places.flatMap(({ ordinal, isSeam }) => (isSeam && ordinal !== null ? ordinal : []))
  return { ...one, passages: new Map([...one.passages, ...quoted]), seams: new Set(seams) }
}

/** The distance of a value from the mean of these, in standard deviations. */
function zScore(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
  return (value: number) => (value - mean) / (deviation || 1)
}
