import type { Scored } from './queries.ts'
import type { Weights } from './weights.ts'

const SESSION_WEIGHT = 2.5
const FIELDS_WEIGHT = 0.5

export interface Ranked extends Scored {
  rank: number
}

/**
 * Ranks sessions by a weighted sum of lexical score and similarity, best first. Scores are summed, not ranks, because ranks lose the
 * distance between results. `most` is the sum of the query's IDF; lexical scores are divided by its square root, since no passage contains
 * all terms of a long query.
 */
export function rankSessions(scored: Scored[], most: number, weights: Weights): Ranked[] {
  const usual = meanSimilarity(scored)
  return scored
    .map(one => ({ ...one, rank: rankOf(one, one.similarity ?? usual, most, weights) }))
    .sort((a, b) => b.rank - a.rank || (a.sessionId < b.sessionId ? 1 : -1))
}

/**
 * Sessions without a known similarity that may still be among the first `limit`, best first. Their similarity is at most `nearest`, so a
 * session that would not enter with that value need not be compared.
 */
export function listContenders(
  scored: Scored[],
  limit: number,
  most: number,
  weights: Weights,
  nearest = nearestUnknown(scored)
): Scored[] {
  const atLeast = scored.map(one => rankOf(one, one.similarity ?? 0, most, weights)).sort((a, b) => b - a)
  const least = atLeast[limit - 1] ?? Number.NEGATIVE_INFINITY
  const atMost = (one: Scored) => rankOf(one, nearest, most, weights)
  return scored.filter(one => one.similarity === undefined && atMost(one) >= least).sort((a, b) => atMost(b) - atMost(a))
}

/** The upper bound of an unknown similarity: that of the last of the nearest, and at least the mean. */
export function nearestUnknown(scored: Scored[]) {
  return Math.max(Math.min(...scored.flatMap(({ similarity }) => similarity ?? [])), meanSimilarity(scored))
}

/** The mean similarity. It stands for that of a session whose embeddings are not made yet, so that it neither gains nor loses by it. */
function meanSimilarity(scored: Scored[]) {
  const similarities = scored.flatMap(({ similarity }) => similarity ?? [])
  return similarities.reduce((sum, similarity) => sum + similarity, 0) / Math.max(similarities.length, 1)
}

function rankOf({ best, everywhere, about }: Scored, similarity: number, most: number, weights: Weights) {
  return (best + SESSION_WEIGHT * everywhere + FIELDS_WEIGHT * about) / Math.sqrt(most) + weights.session * similarity
}
