/** What a word of the query is worth: the rarer, the more. */
export interface Worth {
  stem: string
  byPassage: number
  bySession: number
}

export function worthOf({ byPassage, bySession }: Worth) {
  return byPassage + bySession
}

/** Where one word of a query stands in what is said in a session, or in what is written about it. */
export interface Place {
  /** Of the words asked for. */
  word: number
  part: 'said' | 'about'
  /** In so many of the part's passages. */
  passages: number
  /** What it weighs in the three of them where it weighs most. */
  most: number
  /** In which passages it weighs how much; none for what is written. */
  ordinals: number[]
  weights: number[]
}

export interface WordScores {
  /** By the words of its best passages, of all passages, and of what is written about it. */
  best: number
  everywhere: number
  about: number
  /** What the words score in each passage that has any, by its ordinal. */
  passages: ReadonlyMap<number, number>
}

/** What counts of the passages beside: an answer does not end where a passage does. */
const BESIDE = 0.15
const BEST_PASSAGES = 3
/** What is said as well counts less as written: a summary repeats it. */
const REPEATED = 0.3

/** What the words score in a session of `length` passages, where sessions usually have `usual`. */
export function scoreOfPlaces(places: Place[], worths: Worth[], length: number, usual: number): WordScores {
  const passages = new Map<number, number>()
  const words = new Map<number, { everywhere?: number; about?: number }>()
  const relative = 0.3 + (0.7 * length) / Math.max(usual, 1)
  for (const { word, part, passages: count, most, ordinals, weights } of places) {
    const { byPassage, bySession } = worths[word] ?? NOTHING
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
    about += (word.about ?? 0) * (word.everywhere === undefined ? 1 : REPEATED)
  }
  return { best: bestOf(passages), everywhere, about, passages }
}

const NOTHING: Pick<Worth, 'byPassage' | 'bySession'> = { byPassage: 0, bySession: 0 }

/** The three best passages together, the best of them counting most. */
function bestOf(passages: Map<number, number>) {
  const scores = [...passages].map(([ordinal, score]) => {
    const beside = (passages.get(ordinal - 1) ?? 0) + (passages.get(ordinal + 1) ?? 0)
    return (score + BESIDE * beside) / (1 + BESIDE)
  })
  const best = scores.sort((a, b) => b - a).slice(0, BEST_PASSAGES)
  return BEST_PASSAGES * (best.reduce((sum, score) => sum + score ** 4, 0) / BEST_PASSAGES) ** 0.25
}
