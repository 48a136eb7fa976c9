import { clockTime } from '../../text/clock-text.ts'
import { escapeMarkdown } from '../../text/escape.ts'
import type { FoundItem } from './items.ts'
import type { Overview } from './overview.ts'
import type { Sentence } from './sentences.ts'
import { nameOf, wordingOf } from './wording.ts'

export interface Minutes {
  overview: Overview
  /** Each with the start of its first point, in seconds. */
  topics: { keywords: string[]; start: number | null; points: Sentence[] }[]
  decisions: Sentence[]
  questions: Sentence[]
  items: FoundItem[]
  /** True if the key points cover the whole conversation. */
  isComplete: boolean
}

/** Writes minutes with the headings of a language, or with English ones if it has none. */
export function renderMinutes(minutes: Minutes, language: string): string {
  const wording = wordingOf(language)
  const { topics, decisions, questions, items, isComplete } = minutes
  const filled = topics.filter(({ points }) => points.length > 0)
  const overview = [escapeMarkdown(minutes.overview.text), isComplete ? '' : wording.partial]
  const sections = [
    [wording.overview, overview.filter(Boolean).join(' ')],
    [
      wording.keyPoints,
      filled.map(topic => (filled.length > 1 ? heading(topic) : '') + list(topic.points)).join('\n\n')
    ],
    [wording.decisions, list(decisions)],
    [wording.openQuestions, list(questions)],
    [wording.nextSteps, items.map(item => step(item, wording.by)).join('\n')]
  ]
  return sections.flatMap(([title, content]) => (content ? [`## ${title}\n\n${content}`] : [])).join('\n\n')
}

/** The heading of a topic as plain text; empty without keywords. */
export function headingOf(keywords: readonly string[]): string {
  const title = keywords.join(', ')
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`
}

/** A topic that has no name goes by its time. */
function heading({ keywords, start }: Minutes['topics'][number]) {
  const title = escapeMarkdown(headingOf(keywords)) || (start === null ? '' : clockTime(start))
  return title && `### ${title}\n\n`
}

function list(sentences: readonly Sentence[]) {
  return sentences.map(({ speaker, text }) => bullet(speaker, text)).join('\n')
}

function step({ text, assignee, dueDate }: FoundItem, by: string) {
  return bullet(assignee ?? '', text) + (dueDate === null ? '' : ` (${by} ${dueDate})`)
}

function bullet(speaker: string, text: string) {
  const name = escapeMarkdown(nameOf(speaker))
  return name ? `- **${name}**: ${escapeMarkdown(text)}` : `- ${escapeMarkdown(text)}`
}
