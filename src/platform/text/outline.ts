import type { Segment } from './segment.ts'

/** A line of the transcript that a statement comes from. Times are null where the transcript has none. */
export interface Source {
  /** Its index in the transcript. */
  segment: number
  start: number | null
  end: number | null
}

/** A statement of a summary, as plain text. */
export interface Statement {
  text: string
  /** The person who said it; null where nobody in particular did. */
  speaker: string | null
  /** In the order of the transcript. Empty if nobody knows them. */
  sources: Source[]
  /** True if a provider wrote it and the transcript does not support it: it cites no line, or names something that nobody said there. */
  unsupported?: true
}

/** A summary in parts, whose Markdown is another form of it. */
export interface Outline {
  overview: Statement | null
  sections: { heading: string | null; points: Statement[] }[]
  decisions: Statement[]
  questions: Statement[]
}

/** The sources of lines, each once and in their order. */
export function toSources(lines: Iterable<number>, segments: readonly Segment[]): Source[] {
  const known = [...new Set(lines)].sort((a, b) => a - b)
  return known.flatMap(segment => {
    const said = segments[segment]
    return said ? [{ segment, start: said.start, end: said.end }] : []
  })
}

/** Changes every statement of an outline. */
export function mapOutline(outline: Outline, change: (statement: Statement) => Statement): Outline {
  return {
    overview: outline.overview && change(outline.overview),
    sections: outline.sections.map(({ heading, points }) => ({ heading, points: points.map(change) })),
    decisions: outline.decisions.map(change),
    questions: outline.questions.map(change)
  }
}
