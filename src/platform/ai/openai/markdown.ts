import { oneLine } from '../../../contract/text.ts'
import { escapeMarkdown } from '../../text/escape.ts'
import type { Outline, Statement } from '../../text/outline.ts'
import { wordingOf } from '../summarizer/wording.ts'

interface MarkdownSection {
  heading: string
  /** Markdown. */
  content: string
}

/** The usual sections of a summary, with the headings of a language, or with English ones if it has none. Action items are no part of it. */
export function usualSections(
  { overview, sections, decisions, questions }: Outline,
  language: string
): MarkdownSection[] {
  const wording = wordingOf(language)
  const topics = sections.map(
    ({ heading, points }) => `${heading === null ? '' : `### ${escapeMarkdown(heading)}\n\n`}${list(points)}`
  )
  return [
    { heading: wording.overview, content: escapeMarkdown(overview?.text ?? '') },
    { heading: wording.keyPoints, content: topics.join('\n\n') },
    { heading: wording.decisions, content: list(decisions) },
    { heading: wording.openQuestions, content: list(questions) }
  ]
}

/** Writes the sections that have content. */
export function renderSections(sections: readonly MarkdownSection[]): string {
  const filled = sections.filter(({ content }) => content !== '')
  return filled.map(({ heading, content }) => `## ${escapeMarkdown(oneLine(heading))}\n\n${content}`).join('\n\n')
}

export function list(statements: readonly Statement[]) {
  return statements
    .map(
      ({ speaker, text }) => `- ${speaker === null ? '' : `**${escapeMarkdown(speaker)}**: `}${escapeMarkdown(text)}`
    )
    .join('\n')
}
