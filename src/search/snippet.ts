import { LIMITS } from '../contract/limits.ts'
import type { Sentence } from './sentences.ts'

/** A sentence with what its words are worth to the query. */
export interface Weighed extends Sentence {
  /** By stem, what each word of the query that stands in it is worth. */
  worth: ReadonlyMap<string, number>
}

/** The sentences in a row that answer best and fit, with who says them; undefined where there are none. */
export function bestSentences(sentences: readonly Weighed[]): { speaker: string; text: string } | undefined {
  let best: { from: number; to: number; score: number } | undefined
  for (const from of sentences.keys()) {
    const found = new Map<string, number>()
    for (let to = from; to < sentences.length && (to === from || fits(sentences.slice(from, to + 1))); to++) {
      for (const [stem, worth] of sentences[to]?.worth ?? []) found.set(stem, worth)
      const score = [...found.values()].reduce((sum, worth) => sum + worth, 0) - LONGER * (to - from)
      if (!best || score > best.score) best = { from, to, score }
    }
  }
  if (!best) return undefined
  // What is said next helps to understand, where there is room.
  while (best.to + 1 < sentences.length && fits(sentences.slice(best.from, best.to + 2))) best.to++
  const chosen = sentences.slice(best.from, best.to + 1)
  return { speaker: chosen[0]?.speaker ?? '', text: cut(join(chosen)) }
}

/** So much a further sentence must bring to be worth reading. */
const LONGER = 0.5

function fits(sentences: readonly Sentence[]) {
  return lengthOf(join(sentences)) <= LIMITS.snippet
}

/** Each speaker is named where they begin. */
function join(sentences: readonly Sentence[]) {
  let speaker = ''
  return sentences
    .map(sentence => {
      const named = sentence.speaker !== '' && sentence.speaker !== speaker
      speaker = sentence.speaker
      return named ? `${sentence.speaker}: ${sentence.text}` : sentence.text
    })
    .join(' ')
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
