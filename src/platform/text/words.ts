import { foldLetters } from './fold-letters.ts'

/** Scripts written without spaces between words, or that join what English separates. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
/** An abbreviation with full stops, such as `G.D.P.R.`, or a word. */
const WORD_OR_ABBREVIATION =
  /(?<![\p{L}\p{M}\p{N}])\p{L}(?:\.\p{L}(?![\p{L}\p{M}\p{N}]))+|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const HAS_ABBREVIATION = /\.\p{L}/u
const PIECE = new RegExp(`${DENSE.source}\\p{M}*`, 'gu')

/** The longest word in characters; longer ones are data and are cut. */
const MAX_WORD_CHARACTERS = 40

/** A word of a text as written, with its place; an abbreviation without its full stops. */
interface WrittenWord {
  word: string
  start: number
  end: number
}

/** The words of a text as written, not those of scripts without spaces. */
export function writtenWords(text: string): WrittenWord[] {
  return [...text.matchAll(HAS_ABBREVIATION.test(text) ? WORD_OR_ABBREVIATION : WORD)].map(({ 0: word, index }) => ({
    word: word.includes('.') ? word.replaceAll('.', '') : word,
    start: index,
    end: index + word.length
  }))
}

/** Splits a text into words without case and width. Scripts without spaces give overlapping pairs of characters. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  const words = HAS_ABBREVIATION.test(plain)
    ? (plain.match(WORD_OR_ABBREVIATION) ?? []).map(word => word.replaceAll('.', ''))
    : (plain.match(WORD) ?? [])
  // One test of the whole text is cheaper than one of each word, and few texts match.
  return DENSE.test(plain) ? words.flatMap(pairsOf) : words.map(cut)
}

/** A written word without case; in a script without spaces, its overlapping pairs of characters. */
export function toWords(word: string): string[] {
  return pairsOf(word.toLowerCase())
}

function pairsOf(word: string): string[] {
  const pieces = charactersOf(word)
  if (pieces.length === 0) return [cut(word)]
  const others = word.replace(PIECE, ' ').split(' ').filter(Boolean).map(cut)
  if (pieces.length === 1) return [...pieces, ...others]
  return [...pieces.slice(1).map((piece, at) => `${pieces[at]}${piece}`), ...others]
}

/** The characters of a word that belong to a script without spaces, with their marks. */
export function charactersOf(word: string): string[] {
  return DENSE.test(word) ? (word.match(PIECE) ?? []).map(cut) : []
}

const UNIT = new RegExp(`${DENSE.source}\\p{M}*|(?:(?!${DENSE.source}).)+`, 'gsu')

/** The words of a text in their order, with their places; of scripts without spaces, the characters. */
export function sequenceOf(text: string): WrittenWord[] {
  return writtenWords(text).flatMap(written => {
    if (!DENSE.test(written.word)) return [written]
    return [...written.word.matchAll(UNIT)].map(({ 0: word, index }) => {
      const start = written.start + index
      return { word, start, end: start + word.length }
    })
  })
}

/** True for one character of a script without spaces. */
export function isCharacter(word: string) {
  return DENSE.test(word) && word.replace(PIECE, '') === '' && charactersOf(word).length === 1
}

function cut(word: string) {
  return word.length <= MAX_WORD_CHARACTERS ? word : [...word].slice(0, MAX_WORD_CHARACTERS).join('')
}

/** The words of a text without marks. */
export function plainWordsOf(text: string): string[] {
  return wordsOf(text).map(foldLetters)
}
