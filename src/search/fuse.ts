import type { Scored } from './queries.ts'

/** What likeness counts beside words: more for a model that knows meaning better. */
export interface Weights {
  session: number
  passage: number
}

/** For models of which nobody has measured more. */
const USUAL: Weights = { session: 11, passage: 2 }
const MEASURED: Record<string, Weights> = { 'universal-sentence-encoder-lite': { session: 7, passage: 1 } }

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
  const scale = Math.sqrt(most)
  // A session without vectors yet, while they are made, stands neither above nor below the others for that.
  const likenesses = scored.flatMap(({ likeness }) => likeness ?? [])
  const usual = likenesses.reduce((sum, likeness) => sum + likeness, 0) / Math.max(likenesses.length, 1)
  return scored
    .map(one => {
      const byWords = one.best + EVERYWHERE * one.everywhere + ABOUT * one.about
      return { ...one, rank: byWords / scale + weights.session * (one.likeness ?? usual) }
    })
    .sort((a, b) => b.rank - a.rank || (a.sessionId < b.sessionId ? 1 : -1))
}
