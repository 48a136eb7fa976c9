import type { Segment } from '../../core/segment.ts'
import { clip, oneLine } from './text.ts'
import { cutToTokens, pack, tokensOf } from './tokens.ts'

/** A segment as the prompt shows it, or a piece of one that is too long. `index` is the segment's. */
export interface Line {
  index: number
  speaker: string
  text: string
}

export function linesOf(segments: Segment[]): Line[] {
  return segments
    .map(({ speaker, text }, index) => ({ index, speaker: clip(oneLine(speaker), 200) || 'Unknown', text: oneLine(text) }))
    .filter(({ text }) => text !== '')
}

export function lineText({ index, speaker, text }: Line): string {
  return `[${index}] ${speaker}: ${text}`
}

export function lineTokens(line: Line): number {
  return tokensOf(lineText(line)) + 1
}

/** Consecutive parts within the budget, cut between lines; a line that alone is longer is cut between its sentences. */
export function partsOf(lines: Line[], budget: number): Line[][] {
  return pack(
    lines.flatMap(line => (lineTokens(line) > budget ? pieces(line, budget) : [line])),
    lineTokens,
    budget
  )
}

function pieces(line: Line, budget: number): Line[] {
  const room = Math.max(budget - lineTokens({ ...line, text: '' }), 1)
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(line.text)].flatMap(({ segment }) =>
    stretches(segment, room)
  )
  return pack(sentences, tokensOf, room).map(together => ({ ...line, text: together.join('').trim() }))
}

function stretches(sentence: string, room: number): string[] {
  const cut: string[] = []
  for (let rest = sentence; rest !== ''; ) {
    const stretch = cutToTokens(rest, room)
    cut.push(stretch)
    rest = rest.slice(stretch.length)
  }
  return cut
}
