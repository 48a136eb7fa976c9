import { escapeMarkdown } from '../../text/escape.ts'
import { type FoundItem, withoutRemark } from './items.ts'
import type { Sentence } from './sentences.ts'
import wordings from './wording.json' with { type: 'json' }

export interface Minutes {
  /** Most talkative first. */
  speakers: string[]
  topics: { keywords: string[]; points: Sentence[] }[]
  decisions: Sentence[]
  questions: Sentence[]
  items: FoundItem[]
  /** True if the key points cover the whole conversation. */
  isComplete: boolean
}

const MAX_SPEAKERS = 6

/** The words of minutes in a language, or in English if there are none. */
export function wordingOf(language: string) {
  return new Map(Object.entries(wordings)).get(language) ?? wordings.en
}

/** Writes minutes with the headings of a language, or with English ones if it has none. */
export function renderMinutes(minutes: Minutes, language: string): string {
  const wording = wordingOf(language)
  const { topics, decisions, questions, items, isComplete } = minutes
  const filled = topics.filter(({ points }) => points.length > 0)
  const overview = [escapeMarkdown(overviewOf(minutes, language)), isComplete ? '' : wording.partial]
  const sections = [
    [wording.overview, overview.filter(Boolean).join(' ')],
    [
      wording.keyPoints,
      filled.map(topic => (filled.length > 1 ? heading(topic.keywords) : '') + list(topic.points)).join('\n\n')
    ],
    [wording.decisions, list(decisions)],
    [wording.openQuestions, list(questions)],
    [wording.nextSteps, items.map(item => step(item, wording.by)).join('\n')]
  ]
  return sections.flatMap(([title, content]) => (content ? [`## ${title}\n\n${content}`] : [])).join('\n\n')
}

/** The overview as plain text. */
export function overviewOf({ speakers, topics }: Pick<Minutes, 'speakers' | 'topics'>, language: string): string {
  const wording = wordingOf(language)
  const names = [...new Set(speakers.map(nameOf))].filter(Boolean)
  const more = names.length > MAX_SPEAKERS ? [`+${names.length - MAX_SPEAKERS}`] : []
  const subjects = topics.flatMap(({ keywords }) => keywords.slice(0, 1))
  return [
    sentence(wording.participants, [...names.slice(0, MAX_SPEAKERS), ...more]),
    sentence(wording.topics, subjects)
  ]
    .filter(Boolean)
    .join(' ')
}

function sentence(subject: string, names: readonly string[]) {
  return names.length > 0 ? `${subject}: ${names.join(', ')}.` : ''
}

/** The heading of a topic as plain text; empty without keywords. */
export function headingOf(keywords: readonly string[]): string {
  const title = keywords.join(', ')
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`
}

function heading(keywords: readonly string[]) {
  const title = escapeMarkdown(headingOf(keywords))
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

/** A speaker's name without the office or party in brackets behind it. */
export function nameOf(speaker: string): string {
  return (withoutRemark(speaker) || speaker).replace(/\s+/g, ' ').trim()
}
