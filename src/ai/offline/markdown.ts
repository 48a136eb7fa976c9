import type { ScoredItem } from './items.ts'
import { withoutRemark } from './people.ts'
import type { Phrase } from './phrases.ts'
import type { Sentence } from './sentences.ts'
import type { Wording } from './words/lexicon.ts'

export interface Minutes {
  /** Most talkative first. */
  speakers: string[]
  topics: { phrases: Phrase[]; points: Sentence[] }[]
  decisions: Sentence[]
  questions: Sentence[]
  items: ScoredItem[]
  /** Whether they cover all of the conversation. */
  complete: boolean
}

const MOST_NAMES = 6
const MOST_TOPICS = 5
const MOST_ITEMS = 6
const FEWEST_TOPICS_WITH_HEADINGS = 2

export function renderMinutes(minutes: Minutes, words: Wording): string {
  const { topics, decisions, questions, items } = minutes
  const headed = topics.filter(({ points }) => points.length > 0).length >= FEWEST_TOPICS_WITH_HEADINGS
  const points = topics.filter(topic => topic.points.length > 0).map(topic => pointsOf(topic, headed, words))
  return [
    section(words.overview, overviewOf(minutes, words)),
    section(words.keyPoints, points.join('\n\n')),
    section(words.decisions, decisions.map(quote).join('\n')),
    section(words.openQuestions, questions.map(quote).join('\n')),
    section(
      words.nextSteps,
      firstSteps(items)
        .map(item => stepOf(item, words))
        .join('\n')
    )
  ]
    .filter(Boolean)
    .join('\n\n')
}

function section(heading: string, content: string) {
  return content && `## ${heading}\n\n${content}`
}

function overviewOf({ speakers, topics, complete }: Minutes, words: Wording) {
  const names = speakers.map(nameOf).filter((name, at, all) => name !== '' && all.indexOf(name) === at)
  const shown = names.length > MOST_NAMES + 1 ? [...names.slice(0, MOST_NAMES), words.others(names.length - MOST_NAMES)] : names
  const phrases = topics.flatMap(({ phrases: [first] }) => (first ? [first] : [])).slice(0, MOST_TOPICS)
  const about = phrases.map(({ text, speakers: [first] }) =>
    names.length > 1 && first ? `${plain(text)} (${nameOf(first)})` : plain(text)
  )
  const who = names.length > 0 ? words.participants(listed(shown, words), names.length === 1) : ''
  return [who, about.length > 0 ? words.topics(about.join(', ')) : '', complete ? '' : words.partial].filter(Boolean).join(' ')
}

function pointsOf({ phrases, points }: Minutes['topics'][number], headed: boolean, words: Wording) {
  const title = phrases
    .slice(0, 2)
    .map(({ text }) => plain(text))
    .join(` ${words.and} `)
  const heading = headed && title ? `### ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n` : ''
  return heading + points.map(quote).join('\n')
}

function quote({ speaker, text }: Sentence) {
  const name = nameOf(speaker)
  return name ? `- **${name}**: ${plain(text)}` : `- ${plain(text)}`
}

/** The surest of them, in their order. */
function firstSteps(items: readonly ScoredItem[]) {
  const surest = new Set([...items].sort((a, b) => b.score - a.score).slice(0, MOST_ITEMS))
  return items.filter(item => surest.has(item))
}

function stepOf({ text, assignee, dueDate }: ScoredItem, words: Wording) {
  const name = assignee === null ? '' : nameOf(assignee)
  const due = dueDate === null ? '' : ` (${words.by} ${dueDate})`
  return `- ${name ? `**${name}**: ` : ''}${plain(text)}${due}`
}

function listed(names: readonly string[], { and }: Wording) {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${and} ${names.at(-1)}`
}

/** Without what stands in brackets behind it, an office or a party. */
export function nameOf(speaker: string) {
  const bare = withoutRemark(speaker)
  return plain((bare || speaker).replace(/\s+/g, ' ').trim())
}

/** What people said may not become markup. */
function plain(text: string) {
  return text.replace(/[\\`*[\]<>]|^[#+-]/g, '\\$&').replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
}
