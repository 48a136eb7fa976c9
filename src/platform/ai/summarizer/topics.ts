import { countValues } from '../../text/frequency.ts'
import type { Sentence } from './sentences.ts'

const WINDOW_TERMS = 120
const STEP_TERMS = 12
const TERMS_PER_TOPIC = 420
const MAX_TOPICS = 6

/** Splits a conversation into topics, as TextTiling does: where the terms before and after a sentence are least similar. */
export function splitTopics(sentences: readonly Sentence[]): Sentence[][] {
  const stream = sentences.flatMap(({ terms, index }) => terms.map(term => ({ term, index })))
  const terms = stream.map(({ term }) => term)
  const count = Math.min(MAX_TOPICS, Math.round(terms.length / TERMS_PER_TOPIC) + 1)
  const gaps = Array.from({ length: Math.floor(terms.length / STEP_TERMS) }, (_, step) => {
    const at = step * STEP_TERMS
    const [before, after] = [terms.slice(Math.max(0, at - WINDOW_TERMS), at), terms.slice(at, at + WINDOW_TERMS)]
    return { at, similarity: cosine(countValues(before), countValues(after)) }
  })
  const cuts: number[] = []
  for (const { at } of gaps.sort((a, b) => a.similarity - b.similarity)) {
    const isApart = [0, terms.length, ...cuts].every(other => Math.abs(other - at) > terms.length / (count * 2))
    if (isApart && cuts.length < count - 1) cuts.push(at)
  }
  const starts = cuts.sort((a, b) => a - b).map(at => stream[at]?.index ?? 0)
  return [0, ...starts].map((start, topic) => sentences.slice(start, starts[topic]))
}

function cosine(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) {
  const product = [...a].reduce((sum, [term, count]) => sum + count * (b.get(term) ?? 0), 0)
  return product / (Math.hypot(...a.values()) * Math.hypot(...b.values()) || 1)
}
