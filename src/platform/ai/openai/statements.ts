import type { Source, Statement } from '../../text/outline.ts'
import type { Conversation } from '../ai.ts'
import type { Evidence, Languages } from './evidence.ts'
import type { FindName } from './names.ts'

/** The most statements of each kind, in an answer and in a summary, and their longest texts in code points. */
export const MAX = {
  points: 60,
  decisions: 30,
  questions: 15,
  items: 60,
  lines: 8,
  text: 500,
  overview: 1_500,
  name: 80
}

export interface Point extends Statement {
  topic: string | null
}

/** The tools to read an answer with. */
export interface Reading {
  conversation: Conversation
  /** The numbers of the lines that the model saw. */
  shown: ReadonlySet<number>
  findSpeaker: FindName
  findPerson: FindName
  evidence: (languages: Languages) => Evidence
}

/** The lines that a statement cites and that the model saw, and whether it cites others. */
export function citeLines(given: readonly number[] | null, shown: ReadonlySet<number>) {
  const numbers = [...new Set(given)]
  const known = numbers.filter(line => shown.has(line))
  return { lines: known.slice(0, MAX.lines).sort((a, b) => a - b), isInvented: known.length < numbers.length }
}

export function markUnless(isSupported: boolean) {
  return isSupported ? {} : { unsupported: true as const }
}

/** Without those that repeat another's words, and without empty ones. */
export function keepDifferent<T extends { text: string }>(statements: readonly T[], max: number): T[] {
  const byWords = Map.groupBy(
    statements.filter(({ text }) => text !== ''),
    ({ text }) => wordsKey(text)
  )
  return [...byWords.values()].flatMap(([first]) => first ?? []).slice(0, max)
}

export function wordsKey(text: string) {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [text]).join(' ')
}

/** Each line once, in the order of the transcript, and no more than a statement may have. */
export function joinSources(sources: readonly Source[]): Source[] {
  const byLine = new Map(sources.map(source => [source.segment, source]))
  return [...byLine.values()].slice(0, MAX.lines).sort((one, other) => one.segment - other.segment)
}
