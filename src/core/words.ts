/** Scripts written without spaces between words, or that join what English separates. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const PIECE = new RegExp(`${DENSE.source}\\p{M}*`, 'gu')

/** The longest word in characters; longer ones are data and are cut. */
const MAX_WORD_CHARACTERS = 40

/** Splits a text into words without case and width. Scripts without spaces give overlapping pairs of characters. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  const words = plain.match(WORD) ?? []
  // One test of the whole text is cheaper than one of each word, and few texts match.
  if (!DENSE.test(plain)) return words.map(cut)
  return words.flatMap(word => (DENSE.test(word) ? pairsOf(word) : [cut(word)]))
}

function pairsOf(word: string) {
  const pieces = (word.match(PIECE) ?? []).map(cut)
  const others = word.replace(PIECE, ' ').split(' ').filter(Boolean).map(cut)
  if (pieces.length < 2) return [...pieces, ...others]
  return [...pieces.slice(1).map((piece, at) => `${pieces[at]}${piece}`), ...others]
}

function cut(word: string) {
  return word.length <= MAX_WORD_CHARACTERS ? word : [...word].slice(0, MAX_WORD_CHARACTERS).join('')
}

/** Latin letters without marks that Unicode does not decompose. */
const PLAIN: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ё: 'е'
}
const MARKED = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

/** Strips the marks of Latin and Greek letters: `garcía` gives `garcia`. Other scripts tell letters apart by their marks. */
export function stripMarks(text: string): string {
  const plain = text
    .normalize('NFD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu, '')
    .normalize('NFC')
  return plain.replace(MARKED, letter => PLAIN[letter] ?? letter)
}

/** The words of a text without marks. */
export function plainWordsOf(text: string): string[] {
  return wordsOf(text).map(stripMarks)
}
