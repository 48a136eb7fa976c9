import { escapeMarkdown } from '../../core/escape.ts'
import { type ScoredItem, withoutRemark } from './items.ts'
import type { Keyword } from './keywords.ts'
import type { Sentence } from './sentences.ts'
import type { Wording } from './wording.ts'

export interface Minutes {
  /** Most talkative first. */
  speakers: string[]
  topics: { keywords: Keyword[]; points: Sentence[] }[]
  decisions: Sentence[]
  questions: Sentence[]
  items: ScoredItem[]
  /** Whether the key points cover the whole conversation. */
  isComplete: boolean
}

const MAX_SPEAKERS = 6
const MAX_TOPICS = 5
const MAX_STEPS = 6

export function renderMinutes({ speakers, topics, decisions, questions, items, isComplete }: Minutes, wording: Wording): string {
  const names = [...new Set(speakers.map(nameOf))].filter(Boolean)
  const more = names.length > MAX_SPEAKERS ? [`+${names.length - MAX_SPEAKERS}`] : []
  const subjects = topics.flatMap(({ keywords: [first] }) => (first ? [`${escapeMarkdown(first.text)} (${nameOf(first.speaker)})`] : []))
  const filled = topics.filter(({ points }) => points.length > 0)
  const surest = items.toSorted((a, b) => b.score - a.score).slice(0, MAX_STEPS)
  const steps = items.filter(item => surest.includes(item)).map(item => step(item, wording('by')))
  const sections = [
    [
      wording('overview'),
      sentence(wording('participants'), [...names.slice(0, MAX_SPEAKERS), ...more]),
      sentence(wording('topics'), subjects.slice(0, MAX_TOPICS)),
      isComplete ? '' : wording('partial')
    ],
    [wording('keyPoints'), filled.map(topic => (filled.length > 1 ? heading(topic.keywords) : '') + list(topic.points)).join('\n\n')],
    [wording('decisions'), list(decisions)],
    [wording('openQuestions'), list(questions)],
    [wording('nextSteps'), steps.join('\n')]
  ]
  const written = sections.map(([title, ...contents]) => [`## ${title}`, contents.filter(Boolean).join(' ')])
  return written.flatMap(([title, content]) => (content ? [`${title}\n\n${content}`] : [])).join('\n\n')
}

function sentence(subject: string, names: readonly string[]) {
  return names.length > 0 ? `${subject}: ${names.join(', ')}.` : ''
}

function heading(keywords: readonly Keyword[]) {
  const title = escapeMarkdown(keywords.map(({ text }) => text).join(', '))
  return title && `### ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n`
}

function list(sentences: readonly Sentence[]) {
  return sentences.map(({ speaker, text }) => bullet(speaker, text)).join('\n')
}

function step({ text, assignee, dueDate }: ScoredItem, by: string) {
  return bullet(assignee ?? '', text) + (dueDate === null ? '' : ` (${by} ${dueDate})`)
}

function bullet(speaker: string, text: string) {
  const name = nameOf(speaker)
  return name ? `- **${name}**: ${escapeMarkdown(text)}` : `- ${escapeMarkdown(text)}`
}

/** A speaker's name without the office or party in brackets behind it. */
export function nameOf(speaker: string): string {
  return escapeMarkdown((withoutRemark(speaker) || speaker).replace(/\s+/g, ' ').trim())
}
