import { ENGLISH } from './words/en.ts'

/** The model that reads what is prepared here: what is measured or tuned for it goes by this name. */
export const OFFLINE_MODEL = 'universal-sentence-encoder-lite'

/** The model reads 128 pieces of words, which this many telling words seldom exceed. */
const READ_WORDS = 62
const MOST_PARTS = 8
const LONGEST_WORD = 40
const PLACEHOLDER = 'empty'

/**
 * What the model is given for a text, in parts that it reads to their ends. A long passage is reduced to the words that carry
 * its meaning: all of them cost less than its first 128 pieces would, and find it better.
 */
export function partsOf(text: string): string[] {
  const words = text
    .replace(/\{\w+\}/g, ' ')
    .split(/\s+/)
    .flatMap(word => word.match(new RegExp(`.{1,${LONGEST_WORD}}`, 'gsu')) ?? [])
  if (words.length === 0) return [PLACEHOLDER]
  if (words.length <= READ_WORDS) return [words.join(' ')]
  const telling = tellingWords(text)
  const kept = (telling.length > 0 ? telling : words).slice(0, READ_WORDS * MOST_PARTS)
  const parts = Math.ceil(kept.length / READ_WORDS)
  const size = Math.ceil(kept.length / parts)
  return Array.from({ length: parts }, (_, at) => kept.slice(at * size, (at + 1) * size).join(' '))
}

/** A query of these has hardly more words than the model reads at once. */
const SHORT_QUERY = 250

/** What of a query the model is asked: no more than it reads at once, since somebody waits for it, and each further part takes as long again. */
export function shortenQuery(query: string): string {
  if (query.length <= SHORT_QUERY) return query
  const telling = tellingWords(query).slice(0, READ_WORDS).join(' ')
  return telling === '' ? [...query].slice(0, READ_WORDS * 2).join('') : telling
}

function tellingWords(text: string) {
  const speech = text.replace(/^[^:\n]{1,80}: /gm, '').replace(/\{\w+\}/g, ' ')
  const words = speech.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? []
  return words.filter(word => word.length <= LONGEST_WORD && !ENGLISH.stop.has(word.toLowerCase().replaceAll('’', "'")))
}

/** The direction between the vectors, of length one. */
export function meanDirection(vectors: readonly number[][]): number[] {
  const sum = (vectors[0] ?? []).map((_, at) => vectors.reduce((total, vector) => total + (vector[at] ?? 0), 0))
  const length = Math.hypot(...sum)
  if (!(length > 0) || !Number.isFinite(length)) throw new Error('a vector without direction')
  return sum.map(value => value / length)
}
