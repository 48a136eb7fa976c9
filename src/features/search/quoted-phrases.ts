import { foldLetters } from '../../platform/text/fold-letters.ts'
import { plainWordsOf, sequenceOf } from '../../platform/text/words.ts'

/** The quoted phrases of a query that are looked for; more of them, and longer ones, are ordinary text. */
const MAX_PHRASES = 4
const MAX_PHRASE_WORDS = 32
const QUOTED =
  /(?<![\p{L}\p{N}])"([^"]+)"(?![\p{L}\p{N}])|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』/gu

/** The quoted phrases of a query. */
export function phrasesOf(query: string): string[] {
  return [...query.matchAll(QUOTED)]
    .map(([, ...quoted]) => quoted.find(text => text !== undefined) ?? '')
    .filter(phrase => plainWordsOf(phrase).length > 0 && plainWordsOf(phrase).length <= MAX_PHRASE_WORDS)
    .slice(0, MAX_PHRASES)
}

interface PhraseSpan {
  start: number
  end: number
}

const ASCII = /^[\0-\x7f]*$/

/**
 * The place where the words of a phrase follow each other in a text, without case and marks. `wi-fi`, `wi fi` and `wifi` are the same.
 * Undefined if they do not.
 */
export function findPhrase(text: string, phrase: string): PhraseSpan | undefined {
  const words = sequenceOf(text).map(({ word, start, end }) => ({ plain: plainOf(word), start, end }))
  const wanted = sequenceOf(phrase.normalize('NFKC'))
    .map(({ word }) => plainOf(word))
    .join('')
  const endOf = (from: number) => {
    let read = 0
    for (let at = from; at < words.length; at++) {
      const { plain = '', end = 0 } = words[at] ?? {}
      if (!wanted.startsWith(plain, read)) return undefined
      read += plain.length
      if (read === wanted.length) return end
    }
    return undefined
  }
  for (const [at, { start }] of words.entries()) {
    const end = endOf(at)
    if (end !== undefined) return { start, end }
  }
  return undefined
}

function plainOf(word: string) {
  return ASCII.test(word) ? word.toLowerCase() : foldLetters(word.normalize('NFKC').toLowerCase())
}
