import { LIMITS } from '../contract/limits.ts'
import type { Sentence } from './sentences.ts'

/** A sentence with what its words are worth to the query. */
export interface Weighed extends Sentence {
  /** By stem, what each word of the query that stands in it is worth. */
  worth: ReadonlyMap<string, number>
}

/** The sentences in a row that answer best and fit, with who says them; undefined where there are none. */
export function bestSentences(sentences: readonly Weighed[]): { speaker: string; text: string } | undefined {
  const alone = sentences.map(sentence => lengthOf(shown(sentence, undefined)))
  let sum = 0
  const until = sentences.map((sentence, at) => (sum += 1 + lengthOf(shown(sentence, sentences[at - 1]))))
  const fits = (from: number, to: number) => (alone[from] ?? 0) + (until[to] ?? 0) - (until[from] ?? 0) <= LIMITS.snippet
  let best: { from: number; to: number; score: number } | undefined
  for (const from of sentences.keys()) {
    const found = new Set<string>()
    let worths = 0
    for (let to = from; to < sentences.length && (to === from || fits(from, to)); to++) {
      for (const [stem, worth] of sentences[to]?.worth ?? []) {
        if (!found.has(stem)) worths += worth
        found.add(stem)
      }
      const score = worths - LONGER * (to - from)
      if (!best || score > best.score) best = { from, to, score }
    }
  }
  if (!best) return undefined
  // What is said next helps to understand, where there is room.
  while (best.to + 1 < sentences.length && fits(best.from, best.to + 1)) best.to++
  const chosen = sentences.slice(best.from, best.to + 1)
  return { speaker: chosen[0]?.speaker ?? '', text: cut(chosen.map((sentence, at) => shown(sentence, chosen[at - 1])).join(' ')) }
}

/** So much a further sentence must bring to be worth reading. */
const LONGER = 0.5

/** Each speaker is named where they begin. */
function shown({ speaker, text }: Sentence, before: Sentence | undefined) {
  return speaker !== '' && speaker !== before?.speaker ? `${speaker}: ${text}` : text
}

/** Only a sentence that is longer than a snippet may be is ever cut, after a word where it has some. */
function cut(text: string) {
  if (lengthOf(text) <= LIMITS.snippet) return text
  const start = [...text].slice(0, LIMITS.snippet - 1).join('')
  return `${start.replace(/\s+\S{0,40}$/u, '')}…`
}

function lengthOf(text: string) {
  return text.length <= LIMITS.snippet ? text.length : [...text].length
}
