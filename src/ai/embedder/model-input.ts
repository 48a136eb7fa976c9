import { STOP_WORDS } from './stop-words.ts'

/** Name of the embedding model; constants tuned for it are stored under this name. */
export const OFFLINE_MODEL = 'universal-sentence-encoder-lite'

/** The model reads 128 tokens; 62 content words rarely exceed them. */
const MAX_WORDS = 62
const MAX_PARTS = 8
const MAX_WORD_CHARACTERS = 40
const PLACEHOLDER = 'empty'

/**
 * Splits a text into parts that fit the model. A long passage is first reduced to its content words: this costs less than the
 * first 128 tokens of the whole text would, and gives better recall.
 */
export function toModelInputs(text: string): string[] {
  const words = text
    .replace(/\{\w+\}/g, ' ')
    .split(/\s+/)
    .flatMap(word => word.match(new RegExp(`.{1,${MAX_WORD_CHARACTERS}}`, 'gsu')) ?? [])
  if (words.length === 0) return [PLACEHOLDER]
  if (words.length <= MAX_WORDS) return [words.join(' ')]
  const content = contentWords(text)
  const kept = (content.length > 0 ? content : words).slice(0, MAX_WORDS * MAX_PARTS)
  const parts = Math.ceil(kept.length / MAX_WORDS)
  const size = Math.ceil(kept.length / parts)
  return Array.from({ length: parts }, (_, at) => kept.slice(at * size, (at + 1) * size).join(' '))
}

/** A query up to this length fits the model. */
const MAX_QUERY_CHARACTERS = 250

/** Cuts a query to one part: a caller waits for it, and every further part takes as long again. */
export function shortenQuery(query: string): string {
  if (query.length <= MAX_QUERY_CHARACTERS) return query
  const content = contentWords(query).slice(0, MAX_WORDS).join(' ')
  return content === '' ? [...query].slice(0, MAX_WORDS * 2).join('') : content
}

function contentWords(text: string) {
  const speech = text.replace(/^[^:\n]{1,80}: /gm, '').replace(/\{\w+\}/g, ' ')
  const words = speech.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? []
  return words.filter(word => word.length <= MAX_WORD_CHARACTERS && !STOP_WORDS.has(word.toLowerCase().replaceAll('’', "'")))
}

/** The mean of the vectors, normalized to length one. */
export function meanEmbedding(vectors: readonly number[][]): number[] {
  const sum = (vectors[0] ?? []).map((_, at) => vectors.reduce((total, vector) => total + (vector[at] ?? 0), 0))
  const length = Math.hypot(...sum)
  if (!(length > 0) || !Number.isFinite(length)) throw new Error('The mean of the embeddings is zero or not finite')
  return sum.map(value => value / length)
}
