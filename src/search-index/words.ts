/** Scripts written without spaces between words, or that join what English separates. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const PIECE = new RegExp(`${DENSE.source}\\p{M}*`, 'gu')

/** The longest word in characters; longer ones are data and are cut. */
const LONGEST = 40

/** Splits a text into words without case and width. Scripts without spaces give overlapping pairs of characters. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  const words = plain.match(WORD) ?? []
  // One test of the whole text is cheaper than one of each word, and few texts match.
  if (!DENSE.test(plain)) return words.map(cut)
  return words.flatMap(word => (DENSE.test(word) ? pairsOf(word) : [cut(word)]))
}

function pairsOf(word: string) {
  const pieces = word.match(PIECE) ?? []
  const others = word.replace(PIECE, ' ').split(' ').filter(Boolean).map(cut)
  if (pieces.length < 2) return [...pieces, ...others]
  return [...pieces.slice(1).map((piece, at) => `${pieces[at]}${piece}`), ...others]
}

function cut(word: string) {
  return word.length <= LONGEST ? word : [...word].slice(0, LONGEST).join('')
}

/** The `max` most frequent distinct words; of equally frequent ones, the first to occur. */
export function mostFrequent(words: readonly string[], max: number): string[] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  if (counts.size <= max) return [...counts.keys()]
  const frequent = [...counts].toSorted(([, a], [, b]) => b - a)
  return frequent.slice(0, max).map(([word]) => word)
}
