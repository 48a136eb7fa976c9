import type { SummaryPart } from '../../../contract/summary-parts.ts'
import { clockTime } from '../../text/clock-text.ts'
import { escapeMarkdown } from '../../text/escape.ts'
import type { Template } from '../../text/template.ts'
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
  /** Most talkative first, each with the first line that they say. */
  participants: { name: string; line: number | undefined }[]
  /** True if the key points cover the whole conversation. */
  isComplete: boolean
}

/** A section of minutes. */
export interface MinutesSection {
  heading: string
  part: SummaryPart
}

/** Without a template, a summary has these. Who was there and what the topics are stands in them already. */
const USUAL_PARTS = ['overview', 'key_points', 'decisions', 'questions', 'action_items'] as const
const WORDINGS = {
  overview: 'overview',
  key_points: 'keyPoints',
  decisions: 'decisions',
  questions: 'openQuestions',
  action_items: 'nextSteps'
} as const

/**
 * Returns the sections of minutes that have content: those of a template, or the usual ones with the headings of a language, or with English ones
 * if it has none.
 */
export function selectSections(minutes: Minutes, language: string, template: Template | null): MinutesSection[] {
  const wording = wordingOf(language)
  const usual = USUAL_PARTS.map(part => ({ heading: wording[WORDINGS[part]], part }))
  const wanted = template?.sections ?? usual
  return wanted.flatMap(({ heading, part }) => (part && writePart(minutes, part, '') ? [{ heading, part }] : []))
}

/** Writes the sections of minutes. Minutes of a part of the conversation say so. */
export function renderMinutes(minutes: Minutes, language: string, sections: readonly MinutesSection[]): string {
  const wording = wordingOf(language)
  const partial = minutes.isComplete ? '' : wording.partial
  const hasOverview = sections.some(({ part }) => part === 'overview')
  const written = sections.map(({ heading, part }) => {
    const content = [writePart(minutes, part, wording.by), part === 'overview' && partial]
    return `## ${escapeMarkdown(heading)}\n\n${content.filter(Boolean).join(' ')}`
  })
  return [hasOverview ? '' : partial, ...written].filter(Boolean).join('\n\n')
}

/** Empty if nothing of it was said. */
function writePart(minutes: Minutes, part: SummaryPart, by: string) {
  const { overview, participants, decisions, questions, items } = minutes
  const topics = listTopics(minutes)
  switch (part) {
    case 'overview':
      return escapeMarkdown(overview.text)
    case 'participants':
      return participants.map(({ name }) => bullet('', nameOf(name))).join('\n')
    case 'topics':
      return topics.flatMap(({ keywords }) => (keywords.length > 0 ? [bullet('', headingOf(keywords))] : [])).join('\n')
    case 'key_points':
      return topics.map(topic => (topics.length > 1 ? heading(topic) : '') + list(topic.points)).join('\n\n')
    case 'decisions':
      return list(decisions)
    case 'questions':
      return list(questions)
    case 'action_items':
      return items.map(item => step(item, by)).join('\n')
  }
}

/** The topics of minutes that have key points. */
export function listTopics({ topics }: Minutes) {
  return topics.filter(({ points }) => points.length > 0)
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
