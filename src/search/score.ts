/** The IDF of a query term, times its weight in the query: among passages and among sessions. */
export interface TermIdf {
  stem: string
  byPassage: number
  bySession: number
}

export function idfOf({ byPassage, bySession }: TermIdf) {
  return byPassage + bySession
}

/** The postings of one query term in a part of a session: its transcript, or its title, notes, summary and so on. */
export interface TermPosting {
  /** The index of the query term. */
  word: number
  part: 'said' | 'about'
  /** The number of passages that contain the term. */
  passages: number
  /** The sum of its three largest weights. */
  most: number
  /** The passages that contain it and its BM25 weight in each; empty for fields. */
  ordinals: number[]
  weights: number[]
}

export interface WordScores {
  /** Scores of the best passages, of the transcript as a whole, and of the fields. */
  best: number
  everywhere: number
  about: number
  /** The lexical score of each passage with a query term, by ordinal. */
  passages: ReadonlyMap<number, number>
}

/** The weight of neighbouring passages: an answer may cross the border of a passage. */
const NEIGHBOUR_WEIGHT = 0.15
const BEST_PASSAGES = 3
/** The weight of a field's term that the transcript contains as well, since a summary repeats it. */
const REPEATED_WEIGHT = 0.3

/** Scores a session of `length` passages, where sessions have `usual` passages on average. */
export function scorePostings(postings: TermPosting[], idfs: TermIdf[], length: number, usual: number): WordScores {
  const passages = new Map<number, number>()
  const words = new Map<number, { everywhere?: number; about?: number }>()
  const relative = 0.3 + (0.7 * length) / Math.max(usual, 1)
  for (const { word, part, passages: count, most, ordinals, weights } of postings) {
    const { byPassage, bySession } = idfs[word] ?? NOTHING
    for (const [at, ordinal] of ordinals.entries()) {
      passages.set(ordinal, (passages.get(ordinal) ?? 0) + (byPassage + bySession) * (weights[at] ?? 0))
    }
    const score = part === 'said' ? { everywhere: (bySession * 4 * count) / (count + 3 * relative) } : { about: byPassage * most }
    words.set(word, { ...words.get(word), ...score })
  }
  let everywhere = 0
  let about = 0
  for (const word of words.values()) {
    everywhere += word.everywhere ?? 0
    about += (word.about ?? 0) * (word.everywhere === undefined ? 1 : REPEATED_WEIGHT)
  }
  return { best: bestOf(passages), everywhere, about, passages }
}

const NOTHING: Pick<TermIdf, 'byPassage' | 'bySession'> = { byPassage: 0, bySession: 0 }

/** Combines the three best passages; the best counts most. */
function bestOf(passages: Map<number, number>) {
  const scores = [...passages].map(([ordinal, score]) => {
    const beside = (passages.get(ordinal - 1) ?? 0) + (passages.get(ordinal + 1) ?? 0)
    return (score + NEIGHBOUR_WEIGHT * beside) / (1 + NEIGHBOUR_WEIGHT)
  })
  const best = scores.sort((a, b) => b - a).slice(0, BEST_PASSAGES)
  return BEST_PASSAGES * (best.reduce((sum, score) => sum + score ** 4, 0) / BEST_PASSAGES) ** 0.25
}
