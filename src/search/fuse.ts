import { OFFLINE_MODEL } from '../ai/offline/passages.ts'
import type { Scored } from './queries.ts'

/** What likeness counts beside words: more for a model that knows meaning better. */
export interface Weights {
  session: number
  passage: number
}

/** For models of which nobody has measured more. */
const USUAL: Weights = { session: 11, passage: 2 }
const MEASURED: Record<string, Weights> = { [OFFLINE_MODEL]: { session: 7, passage: 1 } }

export function weightsOf(model: string): Weights {
  return MEASURED[model] ?? USUAL
}

const EVERYWHERE = 2.5
const ABOUT = 0.5

export interface Ranked extends Scored {
  rank: number
}

/**
 * The sessions by how well they answer, best first. Scores are added, not ranks: a rank forgets by how much the first is better.
 * `most` is what the words of the query are worth together: more of them can score more, but it grows slower, since no passage has all.
 */
export function rankSessions(scored: Scored[], most: number, weights: Weights): Ranked[] {
  const usual = usualLikeness(scored)
  return scored
    .map(one => ({ ...one, rank: rankOf(one, one.likeness ?? usual, most, weights) }))
    .sort((a, b) => b.rank - a.rank || (a.sessionId < b.sessionId ? 1 : -1))
}

/**
 * Which of the sessions whose likeness is not known may be among the first `limit`, those that promise most first. None of them is nearer than
 * `nearest`, and hardly any is turned away from a query with all its passages; who would not come that far need not be compared.
 */
export function listContenders(
  scored: Scored[],
  limit: number,
  most: number,
  weights: Weights,
  nearest = nearestUnknown(scored)
): Scored[] {
  const atLeast = scored.map(one => rankOf(one, one.likeness ?? 0, most, weights)).sort((a, b) => b - a)
  const least = atLeast[limit - 1] ?? Number.NEGATIVE_INFINITY
  const atMost = (one: Scored) => rankOf(one, nearest, most, weights)
  return scored.filter(one => one.likeness === undefined && atMost(one) >= least).sort((a, b) => atMost(b) - atMost(a))
}

/** How near those may be who are not among the nearest: no nearer than the last of them, and never below what counts for a session without vectors. */
export function nearestUnknown(scored: Scored[]) {
  return Math.max(Math.min(...scored.flatMap(({ likeness }) => likeness ?? [])), usualLikeness(scored))
}

/** What counts for a session without vectors yet, while they are made: it stands neither above nor below the others for that. */
function usualLikeness(scored: Scored[]) {
  const likenesses = scored.flatMap(({ likeness }) => likeness ?? [])
  return likenesses.reduce((sum, likeness) => sum + likeness, 0) / Math.max(likenesses.length, 1)
}

function rankOf({ best, everywhere, about }: Scored, likeness: number, most: number, weights: Weights) {
  return (best + EVERYWHERE * everywhere + ABOUT * about) / Math.sqrt(most) + weights.session * likeness
}
