import type { Queryable } from '../db/open.ts'
import { listContenders, nearestUnknown } from './fuse.ts'
import { findSimilarities, type Scored, scoreSessions } from './queries.ts'
import type { QueryEmbedding } from './query-embeddings.ts'
import type { TermIdf } from './score.ts'
import type { Weights } from './weights.ts'

export interface LexicalCandidates {
  /** Sessions with the largest bounds on their lexical score. */
  sessionIds: string[]
  averagePassages: number
  /** The terms that are scored, with their IDF. */
  idfs: TermIdf[]
  /** The sum of the IDF of all query terms; at least 1. */
  idf: number
}

export interface SemanticCandidates {
  /** Undefined where the query has no embedding: only words count then. */
  near: QueryEmbedding | undefined
  nearest: ReadonlyMap<string, number>
}

interface Scoring {
  replica: Queryable
  weights: Weights
}

/**
 * Merges lexical and semantic candidates and scores each by both, starting every query as soon as its input is known. Lexical candidates
 * outside the nearest passages are compared with the query embedding only where they may still enter the result.
 */
export async function scoreCandidates(
  search: Scoring,
  userId: string,
  byWords: Promise<LexicalCandidates>,
  byMeaning: Promise<SemanticCandidates>,
  limit: number
): Promise<[LexicalCandidates, SemanticCandidates, Scored[]]> {
  const both = Promise.all([byWords, byMeaning]).then(([words, meaning]) => ({ words, meaning, others: othersOf(words, meaning) }))
  const scoring = byWords.then(words => scoreSessions(search.replica, userId, words.sessionIds, words))
  const scoringOthers = both.then(({ words, others }) => scoreSessions(search.replica, userId, others, words))
  const comparing = Promise.all([both, scoring]).then(([{ words, meaning, others }, scored]) => {
    if (!meaning.near) return []
    // Their lexical score is not known yet; zero is its lower bound.
    const least = others.map(sessionId => ({ ...NOTHING, sessionId }))
    return compareContenders(search, userId, meaning.near, withSimilarity([...scored, ...least], meaning), { limit, idf: words.idf })
  })
  const [{ words, meaning }, scored, otherScored, contenders] = await Promise.all([both, scoring, scoringOthers, comparing])
  const known = withSimilarity([...scored, ...otherScored], meaning)
  const compared = meaning.near ? [...known.filter(({ similarity }) => similarity !== undefined), ...contenders] : known
  return [words, meaning, compared]
}

/** Semantic candidates that are not lexical ones. */
function othersOf({ sessionIds }: LexicalCandidates, { nearest }: SemanticCandidates) {
  const found = new Set(sessionIds)
  return [...nearest.keys()].filter(sessionId => !found.has(sessionId))
}

function withSimilarity(scored: Omit<Scored, 'similarity'>[], { nearest }: SemanticCandidates): Scored[] {
  return scored.map(one => ({ ...one, similarity: nearest.get(one.sessionId) }))
}

const NOTHING: Omit<Scored, 'sessionId' | 'similarity'> = { best: 0, everywhere: 0, about: 0, passages: new Map() }

/** Returns contenders with their similarity. It compares the best ones first: after that few of the rest can still enter the result. */
async function compareContenders(
  { replica, weights }: Scoring,
  userId: string,
  near: QueryEmbedding,
  scored: Scored[],
  { limit, idf }: { limit: number; idf: number }
): Promise<Scored[]> {
  const nearest = nearestUnknown(scored)
  const contendersOf = (sessions: Scored[]) => listContenders(sessions, limit, idf, weights, nearest)
  const compare = async (contenders: Scored[]) => {
    if (contenders.length === 0) return []
    const similarities = await findSimilarities(replica, userId, near, idsOf(contenders))
    return contenders.map(one => ({ ...one, similarity: similarities.get(one.sessionId) }))
  }

  const contenders = contendersOf(scored)
  const first = await compare(contenders.slice(0, limit))
  const others = contenders.slice(limit)
  const known = scored.filter(({ similarity }) => similarity !== undefined)
  const still = new Set(idsOf(contendersOf([...known, ...first, ...others])))
  return [...first, ...(await compare(others.filter(({ sessionId }) => still.has(sessionId))))]
}

function idsOf(sessions: { sessionId: string }[]) {
  return sessions.map(({ sessionId }) => sessionId)
}
