import type { Sentence } from './sentences.ts'

/** A stretch of the conversation about one thing. */
export interface Topic {
  sentences: Sentence[]
}

const WINDOW_TERMS = 120
const STEP_TERMS = 12
const TERMS_PER_TOPIC = 420
const MOST_TOPICS = 6

/** Cuts where the words on one side share least with those on the other. */
export function cutTopics(sentences: readonly Sentence[]): Topic[] {
  const stream = sentences.flatMap(({ terms, at }) => terms.map(term => ({ term, at })))
  const count = Math.min(MOST_TOPICS, Math.round(stream.length / TERMS_PER_TOPIC) + 1)
  if (count < 2) return [{ sentences: [...sentences] }]
  const gaps = gapsOf(stream, sentences)
  const apart = stream.length / (count * 2)
  const chosen: Gap[] = []
  for (const gap of gaps.sort((a, b) => b.depth - a.depth)) {
    const clear = gap.term > apart && gap.term < stream.length - apart && chosen.every(other => Math.abs(other.term - gap.term) > apart)
    if (clear && chosen.length < count - 1) chosen.push(gap)
  }
  const starts = [0, ...chosen.map(({ at }) => at).sort((a, b) => a - b), sentences.length]
  return starts.slice(0, -1).map((start, index) => ({ sentences: sentences.slice(start, starts[index + 1]) }))
}

interface Gap {
  /** Position in the stream of terms, and the sentence that begins there. */
  term: number
  at: number
  depth: number
}

function gapsOf(stream: readonly { term: string; at: number }[], sentences: readonly Sentence[]): Gap[] {
  const places: { term: number; at: number; alike: number }[] = []
  for (let term = STEP_TERMS; term < stream.length - STEP_TERMS; term += STEP_TERMS) {
    const at = stream[term]?.at ?? 0
    const before = stream.slice(Math.max(0, term - WINDOW_TERMS), term)
    places.push({ term, at: turnStart(sentences, at), alike: alikeness(before, stream.slice(term, term + WINDOW_TERMS)) })
  }
  const heights = places.map(({ alike }) => alike)
  const left = peaks(heights)
  const right = peaks(heights.toReversed()).reverse()
  return places.map(({ term, at, alike }, index) => ({ term, at, depth: (left[index] ?? 0) + (right[index] ?? 0) - 2 * alike }))
}

/** For each place, the height that is reached from there towards the beginning before it falls again. */
function peaks(heights: readonly number[]) {
  const found: number[] = []
  for (const [index, height] of heights.entries()) found.push((heights[index - 1] ?? -1) >= height ? (found[index - 1] ?? height) : height)
  return found
}

function turnStart(sentences: readonly Sentence[], at: number) {
  let start = at
  while (start > 0 && at - start < 12 && sentences[start - 1]?.turn === sentences[at]?.turn) start--
  return start
}

function alikeness(left: readonly { term: string }[], right: readonly { term: string }[]) {
  const [a, b] = [countsOf(left), countsOf(right)]
  let shared = 0
  for (const [term, count] of a) shared += count * (b.get(term) ?? 0)
  const norm = Math.hypot(...a.values()) * Math.hypot(...b.values())
  return norm > 0 ? shared / norm : 0
}

function countsOf(terms: readonly { term: string }[]) {
  const counts = new Map<string, number>()
  for (const { term } of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
