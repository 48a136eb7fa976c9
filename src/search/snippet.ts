import { LIMITS } from '../contract/limits.ts'
import type { Sentence } from './sentences.ts'

/** A sentence with the query terms in it. */
export interface ScoredSentence extends Sentence {
  /** The IDF of each query term in the sentence, by stem. */
  idf: ReadonlyMap<string, number>
}

/** The consecutive sentences with the highest score that fit into a snippet, with their speakers; undefined where there are none. */
export function bestSentences(sentences: readonly ScoredSentence[]): { speaker: string; text: string } | undefined {
  const alone = sentences.map(sentence => lengthOf(shown(sentence, undefined)))
  let sum = 0
  const until = sentences.map((sentence, at) => (sum += 1 + lengthOf(shown(sentence, sentences[at - 1]))))
  const fits = (from: number, to: number) => (alone[from] ?? 0) + (until[to] ?? 0) - (until[from] ?? 0) <= LIMITS.snippet
  let best: { from: number; to: number; score: number } | undefined
  for (const from of sentences.keys()) {
    const found = new Set<string>()
    let idfs = 0
    for (let to = from; to < sentences.length && (to === from || fits(from, to)); to++) {
      for (const [stem, idf] of sentences[to]?.idf ?? []) {
        if (!found.has(stem)) idfs += idf
        found.add(stem)
      }
      const score = idfs - LONGER * (to - from)
      if (!best || score > best.score) best = { from, to, score }
    }
  }
  if (!best) return undefined
  // The following sentences add context where there is room.
  while (best.to + 1 < sentences.length && fits(best.from, best.to + 1)) best.to++
  const chosen = sentences.slice(best.from, best.to + 1)
  return { speaker: chosen[0]?.speaker ?? '', text: cut(chosen.map((sentence, at) => shown(sentence, chosen[at - 1])).join(' ')) }
}

/** The share that a further sentence must add to the score. */
const LONGER = 0.5

/** A change of speaker names the new one. */
function shown({ speaker, text }: Sentence, before: Sentence | undefined) {
  return speaker !== '' && speaker !== before?.speaker ? `${speaker}: ${text}` : text
}

/** Only a sentence longer than a snippet is cut, after a word where possible. */
function cut(text: string) {
  if (lengthOf(text) <= LIMITS.snippet) return text
  const start = [...text].slice(0, LIMITS.snippet - 1).join('')
  return `${start.replace(/\s+\S{0,40}$/u, '')}…`
}

function lengthOf(text: string) {
  return text.length <= LIMITS.snippet ? text.length : [...text].length
}
