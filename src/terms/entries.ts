import { wordsOf } from './words.ts'

/** Where a term stands in a part of a session, and how much it weighs there before its rarity is known. */
export interface Entry {
  term: string
  ordinals: number[]
  weights: number[]
  /** The sum of the three largest weights: more a session cannot score by this term. */
  most: number
}

/** A text with how often each of its words counts. */
export interface Weighted {
  text: string
  times: number
}

/** BM25: how fast a word said again stops counting, and how much a long passage takes off. */
const SATURATION = 2
const LENGTH = 0.6

/** Telling words in a passage of usual length. Fixed, so that a weight never changes with what else there is. */
const USUAL_LENGTH = 128

/** More would not fit the ordinals' type, and no conversation has them. */
const MOST_PASSAGES = 32_000

/** The terms of the passages of a conversation. */
export function saidEntries(passages: readonly string[], stems: ReadonlyMap<string, string>): Entry[] {
  const entries = new Map<string, Entry>()
  for (const [ordinal, text] of passages.slice(0, MOST_PASSAGES).entries()) {
    const counts = countsOf([{ text, times: 1 }], stems)
    const length = [...counts.values()].reduce((sum, count) => sum + count, 0)
    for (const [term, count] of counts) {
      const entry = entries.get(term) ?? { term, ordinals: [], weights: [], most: 0 }
      entry.ordinals.push(ordinal)
      entry.weights.push(weightOf(count, length))
      entries.set(term, entry)
    }
  }
  for (const entry of entries.values()) entry.most = sum(entry.weights.toSorted((a, b) => b - a).slice(0, 3))
  return [...entries.values()]
}

/** The terms of what is written about a session, in no passage. */
export function aboutEntries(fields: readonly Weighted[], stems: ReadonlyMap<string, string>): Entry[] {
  return [...countsOf(fields, stems)].map(([term, count]) => ({
    term,
    ordinals: [],
    weights: [],
    most: weightOf(count, USUAL_LENGTH)
  }))
}

function countsOf(fields: readonly Weighted[], stems: ReadonlyMap<string, string>) {
  const counts = new Map<string, number>()
  for (const { text, times } of fields) {
    for (const word of wordsOf(text)) {
      const stem = stems.get(word)
      if (stem !== undefined) counts.set(stem, (counts.get(stem) ?? 0) + times)
    }
  }
  return counts
}

function weightOf(count: number, length: number) {
  const damping = SATURATION * (1 - LENGTH + (LENGTH * length) / USUAL_LENGTH)
  return rounded((count * (SATURATION + 1)) / (count + damping))
}

function rounded(weight: number) {
  return Math.round(weight * 1e4) / 1e4
}

function sum(numbers: readonly number[]) {
  return numbers.reduce((total, number) => total + number, 0)
}
