import { type Outline, type Statement, toSources } from '../../text/outline.ts'
import type { Segment } from '../../text/segment.ts'
import { headingOf, type Minutes } from './markdown.ts'
import type { Sentence } from './sentences.ts'
import { nameOf, wordingOf } from './wording.ts'

/** The minutes in parts, each with the lines that it comes from. */
export function toOutline(minutes: Minutes, segments: readonly Segment[], language: string): Outline {
  const { topics, decisions, questions, isComplete } = minutes
  const filled = topics.filter(({ points }) => points.length > 0)
  const overview = [minutes.overview.text, isComplete ? '' : wordingOf(language).partial]
  const toStatements = (sentences: readonly Sentence[]): Statement[] =>
    sentences.map(({ speaker, text, lines }) => ({
      text,
      speaker: nameOf(speaker) || null,
      sources: toSources(lines, segments)
    }))
  return {
    overview: {
      text: overview.filter(Boolean).join(' '),
      speaker: null,
      sources: toSources(minutes.overview.lines, segments)
    },
    sections: filled.map(({ keywords, points }) => ({
      heading: (filled.length > 1 && headingOf(keywords)) || null,
      points: toStatements(points)
    })),
    decisions: toStatements(decisions),
    questions: toStatements(questions)
  }
}
