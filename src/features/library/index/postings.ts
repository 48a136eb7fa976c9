/** The passages that a term occurs in, and its BM25 weight in each without the IDF. */
interface Posting {
  term: string
  ordinals: number[]
  weights: number[]
  /** The sum of the three largest weights, an upper bound of the session's score by this term. */
  most: number
}

/** The postings of one part of a session in the order of their terms. */
export interface Postings {
  terms: string[]
  /** Makes each posting when it is read, because those of a long transcript have millions of ordinals and weights. */
  read(): Iterable<Posting>
}

/** Sorts postings by term. */
export function sortPostings(postings: readonly Posting[]): Postings {
  const sorted = postings.toSorted((a, b) => (a.term < b.term ? -1 : 1))
  return { terms: sorted.map(({ term }) => term), read: () => sorted }
}

/** Weights have four decimals and are less than 3, and there are fewer terms and passages than 65,536: 16 bits are enough for each. */
const UNITS = 1e4
const SHIFT = 16
const MASK = 0xffff

/** The terms of a passage by their numbers, each with its weight in the lower bits. */
type PackedPassage = Uint32Array

export function packPassage(weights: readonly (readonly [term: number, weight: number])[]): PackedPassage {
  return Uint32Array.from(weights, ([term, weight]) => pack(term, Math.round(weight * UNITS)))
}

function pack(upper: number, lower: number) {
  return upper * 2 ** SHIFT + lower
}

/**
 * The postings of passages, four bytes for each occurrence of a term in a passage. The number of a term is its index in `terms`, which are
 * sorted; those without an occurrence are left out. Calls `pause` between passages.
 */
export async function packPostings(
  terms: readonly string[],
  passages: readonly PackedPassage[],
  pause: () => Promise<void> | undefined
): Promise<Postings> {
  const starts = new Uint32Array(terms.length + 1)
  for (const passage of passages) {
    await pause()
    for (const packed of passage) increment(starts, (packed >>> SHIFT) + 1)
  }
  for (const number of terms.keys()) increment(starts, number + 1, starts[number])
  const occurrences = new Uint32Array(starts.at(-1) ?? 0)
  const next = starts.slice()
  for (const [ordinal, passage] of passages.entries()) {
    await pause()
    for (const packed of passage) occurrences[increment(next, packed >>> SHIFT)] = pack(ordinal, packed & MASK)
  }
  const known = [...terms.keys()].filter(number => starts[number] !== starts[number + 1])
  return {
    terms: known.map(number => terms[number] ?? ''),
    *read() {
      for (const number of known)
        yield unpack(terms[number] ?? '', occurrences.subarray(starts[number], starts[number + 1]))
    }
  }
}

/** Adds to a number, and returns what it was before. */
function increment(numbers: Uint32Array, at: number, by = 1) {
  const before = numbers[at] ?? 0
  numbers[at] = before + by
  return before
}

/** The largest weights of a term that count for the bound of its score. */
const LARGEST = 3

function unpack(term: string, occurrences: Uint32Array): Posting {
  const units = Uint16Array.from(occurrences, packed => packed & MASK)
  const ordinals = Array.from(occurrences, packed => packed >>> SHIFT)
  const largest = Array.from(units.toSorted().slice(-LARGEST).reverse(), toWeight)
  return {
    term,
    ordinals,
    weights: Array.from(units, toWeight),
    most: largest.reduce((sum, weight) => sum + weight, 0)
  }
}

function toWeight(units: number) {
  return units / UNITS
}
