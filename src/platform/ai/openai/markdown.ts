import { escapeMarkdown } from '../../text/escape.ts'
import type { Outline, Statement } from '../../text/outline.ts'
import { wordingOf } from '../summarizer/wording.ts'

/** Writes a summary with the headings of a language, or with English ones if it has none. Action items are no part of it. */
export function renderOutline({ overview, sections, decisions, questions }: Outline, language: string): string {
  const wording = wordingOf(language)
  const topics = sections.map(
    ({ heading, points }) => `${heading === null ? '' : `### ${escapeMarkdown(heading)}\n\n`}${list(points)}`
  )
  const parts = [
    [wording.overview, escapeMarkdown(overview?.text ?? '')],
    [wording.keyPoints, topics.join('\n\n')],
    [wording.decisions, list(decisions)],
    [wording.openQuestions, list(questions)]
  ]
  return parts.flatMap(([title, content]) => (content ? [`## ${title}\n\n${content}`] : [])).join('\n\n')
}

function list(statements: readonly Statement[]) {
  return statements
    .map(
      ({ speaker, text }) => `- ${speaker === null ? '' : `**${escapeMarkdown(speaker)}**: `}${escapeMarkdown(text)}`
    )
    .join('\n')
}
