/** Pieces of words, each with the logarithm of how likely it is; which of them it is is its number to the model. */
export type Vocabulary = [text: string, score: number][]

/** The first are no pieces of words: what is not known, the beginning, the end and three that nothing uses. */
const RESERVED = 6
const UNKNOWN = 0
const WORD_BEGINS = '\u2581'

/**
 * Cuts texts into the most likely pieces of the vocabulary, as SentencePiece's unigram model does, and gives their numbers. Characters
 * that no piece begins with are unknown, and several of those in a row are one.
 */
export function openTokenizer(vocabulary: Vocabulary): (text: string) => number[] {
  const known = new Map<string, { id: number; score: number } | undefined>()
  for (const [id, [text, score]] of vocabulary.entries()) {
    if (id < RESERVED) continue
    let prefix = ''
    for (const symbol of text) {
      prefix += symbol
      if (!known.has(prefix)) known.set(prefix, undefined)
    }
    known.set(text, { id, score })
  }

  /** The pieces that the symbols from `start` on begin with, the shortest first; what is unknown if there are none. */
  function piecesFrom(symbols: string[], start: number) {
    const pieces = []
    let prefix = ''
    for (let end = start + 1; end <= symbols.length; end++) {
      prefix += symbols[end - 1]
      if (!known.has(prefix)) break
      const piece = known.get(prefix)
      if (piece) pieces.push({ ...piece, end })
    }
    return pieces.length > 0 ? pieces : [{ id: UNKNOWN, score: 0, end: start + 1 }]
  }

  return text => {
    const normal = text.normalize('NFKC')
    const symbols = normal === '' ? [] : [...(WORD_BEGINS + normal.replaceAll(' ', WORD_BEGINS))]
    // To each end: how likely the best pieces up to there are, and the last of them.
    const ways = symbols.map((_, start) => ({ score: 0, id: UNKNOWN, start }))
    for (const start of symbols.keys()) {
      const before = ways[start - 1]?.score ?? 0
      for (const { id, score, end } of piecesFrom(symbols, start)) {
        const way = ways[end - 1]
        if (way && (way.score === 0 || before + score >= way.score)) Object.assign(way, { score: before + score, id, start })
      }
    }
    const ids: number[] = []
    let way = ways.at(-1)
    while (way) {
      if (way.id !== UNKNOWN || ids.at(-1) !== UNKNOWN) ids.push(way.id)
      way = ways[way.start - 1]
    }
    return ids.reverse()
  }
}
