import type { Segment } from '../../text/segment.ts'
import { toLine } from './text.ts'
import { cutToTokens, pack, tokensOf } from './tokens.ts'

/** A segment as the prompt shows it, or a piece of one that is too long. `index` is the segment's. */
export interface Line {
  index: number
  speaker: string
  text: string
}

export function linesOf(segments: Segment[]): Line[] {
  return segments
    .map(({ speaker, text }, index) => ({ index, speaker: toLine(speaker, 200) || 'Unknown', text: toLine(text) }))
    .filter(({ text }) => text !== '')
}

export function lineText({ index, speaker, text }: Line): string {
  return `[${index}] ${speaker}: ${text}`
}

export function lineTokens(line: Line): number {
  return tokensOf(lineText(line)) + 1
}

/** Consecutive parts within the budget, cut between lines; a longer line is cut between its sentences. */
export function partsOf(lines: Line[], budget: number): Line[][] {
  return pack(
    lines.flatMap(line => (lineTokens(line) > budget ? cutLine(line, budget) : [line])),
    lineTokens,
    budget
  )
}

const MAX_TAIL = 6

/** The last lines of a part, as many as the budget allows. */
export function tailOf(part: readonly Line[], budget: number): Line[] {
  let tokens = 0
  const tail: Line[] = []
  for (const line of part.slice(-MAX_TAIL).reverse()) {
    tokens += lineTokens(line)
    if (tokens > budget) break
    tail.unshift(line)
  }
  return tail
}

function cutLine(line: Line, budget: number): Line[] {
  // With a long name, pieces within the budget would be very short and number in the hundreds.
  const textBudget = Math.max(budget - lineTokens({ ...line, text: '' }), budget / 2)
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(line.text)]
  const stretches = sentences.flatMap(({ segment }) => cutSentence(segment, textBudget))
  return pack(stretches, tokensOf, textBudget).map(piece => ({ ...line, text: piece.join('').trim() }))
}

function cutSentence(sentence: string, budget: number): string[] {
  const stretches: string[] = []
  for (let rest = sentence; rest !== ''; rest = rest.slice(stretches.at(-1)?.length))
    stretches.push(cutToTokens(rest, budget))
  return stretches
}
