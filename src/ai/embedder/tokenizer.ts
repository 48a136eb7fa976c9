/** Tokens with their log probabilities. A token's index is its id. */
export type Vocabulary = [text: string, score: number][]

/** The first ids are special: unknown, begin, end and three unused. */
const RESERVED = 6
const UNKNOWN = 0
const WORD_BEGINS = '\u2581'

/**
 * Splits texts into the most likely tokens, as SentencePiece's unigram model does, and returns their ids. A run of characters
 * without a token is one unknown token.
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

  /** The tokens that start at a symbol, shortest first; the unknown token if there is none. */
  function tokensFrom(symbols: string[], start: number) {
    const tokens = []
    let prefix = ''
    for (let end = start + 1; end <= symbols.length; end++) {
      prefix += symbols[end - 1]
      if (!known.has(prefix)) break
      const token = known.get(prefix)
      if (token) tokens.push({ ...token, end })
    }
    return tokens.length > 0 ? tokens : [{ id: UNKNOWN, score: 0, end: start + 1 }]
  }

  return text => {
    const normal = text.normalize('NFKC')
    const symbols = normal === '' ? [] : [...(WORD_BEGINS + normal.replaceAll(' ', WORD_BEGINS))]
    // For each end: the log probability of the best tokens up to it, and the last of them.
    const ways = symbols.map((_, start) => ({ score: 0, id: UNKNOWN, start }))
    for (const start of symbols.keys()) {
      const before = ways[start - 1]?.score ?? 0
      for (const { id, score, end } of tokensFrom(symbols, start)) {
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
