import { setImmediate } from 'node:timers/promises'
import { wordsOf } from './terms.ts'

/** The postings of a term in one part of a session: the passages it occurs in, and its BM25 weight in each without the IDF. */
export interface Posting {
  term: string
  ordinals: number[]
  weights: number[]
  /** The sum of the three largest weights, an upper bound of the session's score by this term. */
  most: number
}

/** BM25's k1 (term frequency saturation) and b (length normalization). */
const K1 = 2
const B = 0.6

/** The average passage length in terms. It is fixed, so that a weight does not change as the library grows. */
const AVERAGE_LENGTH = 128

/** More than 200 hours of speech. The postings of three times as many can exceed what one statement takes. */
const MAX_PASSAGES = 10_000
/** About an hour of conversation. */
const PASSAGES_AT_ONCE = 50

/** The postings of a transcript's passages. `terms` are the terms of its words. Other work goes on meanwhile. */
export async function transcriptPostings(passages: readonly string[], terms: ReadonlyMap<string, readonly string[]>): Promise<Posting[]> {
  const postings = new Map<string, Posting>()
  for (const [ordinal, text] of passages.slice(0, MAX_PASSAGES).entries()) {
    if (ordinal % PASSAGES_AT_ONCE === PASSAGES_AT_ONCE - 1) await setImmediate()
    const counts = countTerms([{ text, times: 1 }], terms)
    const length = sum([...counts.values()])
    for (const [term, count] of counts) {
      const posting = postings.get(term) ?? { term, ordinals: [], weights: [], most: 0 }
      posting.ordinals.push(ordinal)
      posting.weights.push(termWeight(count, length))
      postings.set(term, posting)
    }
  }
  for (const posting of postings.values()) posting.most = sum(posting.weights.toSorted((a, b) => b - a).slice(0, 3))
  return [...postings.values()]
}

/** The postings of the title, notes, summary and so on, which have no passages. A word of a field counts `times` times. */
export function fieldPostings(
  fields: readonly { text: string; times: number }[],
  terms: ReadonlyMap<string, readonly string[]>
): Posting[] {
  const counts = [...countTerms(fields, terms)]
  return counts.map(([term, count]) => ({ term, ordinals: [], weights: [], most: termWeight(count, AVERAGE_LENGTH) }))
}

function countTerms(fields: readonly { text: string; times: number }[], terms: ReadonlyMap<string, readonly string[]>) {
  const counts = new Map<string, number>()
  for (const { text, times } of fields) {
    for (const word of wordsOf(text)) for (const term of terms.get(word) ?? []) counts.set(term, (counts.get(term) ?? 0) + times)
  }
  return counts
}

function termWeight(count: number, length: number) {
  const weight = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / AVERAGE_LENGTH))
  return Math.round(weight * 1e4) / 1e4
}

function sum(numbers: readonly number[]) {
  return numbers.reduce((total, number) => total + number, 0)
}
