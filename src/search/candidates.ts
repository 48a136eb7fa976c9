import type { Reader } from '../db/open.ts'
import { listContenders, nearestUnknown, type Weights } from './fuse.ts'
import { findLikenesses, type Scored, scoreSessions } from './queries.ts'
import type { QueryVector } from './query-vectors.ts'
import type { Worth } from './score.ts'

export interface FoundByWords {
  /** Those that promise most. */
  sessionIds: string[]
  usualPassages: number
  /** Of the words that are looked up in the sessions. */
  worths: Worth[]
  /** What all words are worth together. */
  worth: number
}

export interface FoundByMeaning {
  /** Without it, nothing was compared. */
  near: QueryVector | undefined
  nearest: ReadonlyMap<string, number>
}

interface Scoring {
  comparing: Reader
  weights: Weights
}

/**
 * The sessions found by words and those found by meaning, each scored by both, and each part begun as soon as there is what it needs. What the
 * words have found and the nearest passages have not is compared where it may come to be shown, and left out elsewhere.
 */
export async function scoreCandidates(
  search: Scoring,
  userId: string,
  byWords: Promise<FoundByWords>,
  byMeaning: Promise<FoundByMeaning>,
  limit: number
): Promise<[FoundByWords, FoundByMeaning, Scored[]]> {
  const both = Promise.all([byWords, byMeaning]).then(([words, meaning]) => ({ words, meaning, others: othersOf(words, meaning) }))
  const scoring = byWords.then(words => scoreSessions(search.comparing, userId, words.sessionIds, words))
  const scoringOthers = both.then(({ words, others }) => scoreSessions(search.comparing, userId, others, words))
  const comparing = Promise.all([both, scoring]).then(([{ words, meaning, others }, scored]) => {
    if (!meaning.near) return []
    // Of the others only their likeness is known yet: by words they score nothing or more.
    const least = others.map(sessionId => ({ ...NOTHING, sessionId }))
    return compareContenders(search, userId, meaning.near, withLikeness([...scored, ...least], meaning), { limit, worth: words.worth })
  })
  const [{ words, meaning }, scored, otherScored, contenders] = await Promise.all([both, scoring, scoringOthers, comparing])
  const known = withLikeness([...scored, ...otherScored], meaning)
  const compared = meaning.near ? [...known.filter(({ likeness }) => likeness !== undefined), ...contenders] : known
  return [words, meaning, compared]
}

/** Those that meaning alone has found. */
function othersOf({ sessionIds }: FoundByWords, { nearest }: FoundByMeaning) {
  const found = new Set(sessionIds)
  return [...nearest.keys()].filter(sessionId => !found.has(sessionId))
}

function withLikeness(scored: Omit<Scored, 'likeness'>[], { nearest }: FoundByMeaning): Scored[] {
  return scored.map(one => ({ ...one, likeness: nearest.get(one.sessionId) }))
}

const NOTHING: Omit<Scored, 'sessionId' | 'likeness'> = { best: 0, everywhere: 0, about: 0, passages: new Map() }

/** The contenders with their likeness. Once those that promise most are compared, few of the rest are contenders still. */
async function compareContenders(
  { comparing, weights }: Scoring,
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
