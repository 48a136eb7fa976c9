/** Scripts that are written without spaces between words, or join what English keeps apart. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const PIECE = new RegExp(`${DENSE.source}\\p{M}*`, 'gu')

/** No word of a language is longer; what is, is data, and its beginning tells it well enough. */
const LONGEST = 40

/** The words of a text as they are compared: without case and width. Of scripts without spaces, every two characters that meet. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  const words = plain.match(WORD) ?? []
  // Looked for in the whole first: few texts have any, and each look costs.
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

/** The distinct words that occur most often, at most `max` of them; of those that occur equally often, the first to occur. */
export function mostFrequent(words: readonly string[], max: number): string[] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  if (counts.size <= max) return [...counts.keys()]
  const frequent = [...counts].toSorted(([, a], [, b]) => b - a)
  return frequent.slice(0, max).map(([word]) => word)
}
