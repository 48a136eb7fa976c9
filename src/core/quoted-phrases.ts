import { plainWordsOf } from './words.ts'

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

/** The place where the words of a phrase follow each other in a text, without case and marks. Undefined if they do not. */
export function findPhrase(text: string, phrase: string): number | undefined {
  const words = [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu)].flatMap(({ 0: word, index }) =>
    plainWordsOf(word).map((plain, at) => ({ plain, index: index + at }))
  )
  const wanted = plainWordsOf(phrase)
  return words.find((_, at) => wanted.every((word, next) => words[at + next]?.plain === word))?.index
}
