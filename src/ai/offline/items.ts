import { findDueWords } from '../../core/due-date.ts'
import type { Conversation, ExtractedItem } from '../ai.ts'
import { englishTask } from './items-english.ts'
import { foreignTask, inEnglish } from './items-foreign.ts'
import { type People, peopleOf } from './people.ts'
import { type Sentence, stem, termsOf, wordsOf } from './sentences.ts'
import { taskText } from './task-text.ts'
import type { Lexicon } from './words/lexicon.ts'
import { ACCEPTS, WEAKLY_ACCEPTS } from './words/tasks-en.ts'

const MOST_ITEMS = 25
const LONGEST_TEXT = 240
const ENOUGH = 3

/** A sentence that commits somebody to something. */
export interface Task {
  /** From its verb on. */
  action: string
  /** Who does it: the speaker, somebody named, whoever is asked, or nobody yet. */
  doer: 'speaker' | 'asked' | 'open' | { label: string }
  score: number
  /** Whether the action is already worded as the item. */
  worded: boolean
}

export interface ScoredItem extends ExtractedItem {
  score: number
  /** Its sentence. */
  at: number
}

/** What somebody promised or was asked to do, in the order in which it was said. */
export function findItems(conversation: Conversation, sentences: readonly Sentence[], lexicon: Lexicon): ScoredItem[] {
  const people = peopleOf([...new Set(conversation.segments.map(({ speaker }) => speaker))])
  const found = sentences.flatMap(sentence => {
    const item = sentence.sound ? itemFrom(sentence, conversation, people, lexicon) : undefined
    return item ? [{ item, key: keyOf(item, lexicon) }] : []
  })
  const kept: typeof found = []
  for (const one of found.sort((a, b) => b.item.score - a.item.score)) {
    if (kept.length < MOST_ITEMS && kept.every(other => !isSame(one.key, other.key))) kept.push(one)
  }
  return kept.map(({ item }) => item).sort((a, b) => a.at - b.at)
}

function itemFrom(sentence: Sentence, conversation: Conversation, people: People, lexicon: Lexicon): ScoredItem | undefined {
  const { segments, day } = conversation
  const due = findDueWords(lexicon.code === 'en' ? sentence.text : inEnglish(sentence.text, lexicon.code), day)
  const context = {
    due: due !== null,
    dueToday: due?.day === day,
    people,
    objects: (action: string) => termsOf(wordsOf(action, lexicon.code), lexicon).length
  }
  const task = lexicon.code === 'en' ? englishTask(sentence, context) : foreignTask(sentence, lexicon.code, context)
  if (!task) return undefined
  const accepts = task.doer === 'asked' ? acceptedBy(sentence, conversation) : null
  const assignee = assigneeOf(task, sentence, accepts)
  // A request that nobody takes up is talk, unless it names a day.
  const score = task.score + (accepts ? 1 : 0)
  if (score < ENOUGH) return undefined
  const parties = { speaker: sentence.speaker, addressee: otherOf(sentence.speaker, segments) }
  const text = task.worded ? task.action : taskText(task.action, due?.words ?? '', parties, task.doer === 'asked')
  if (text.length > LONGEST_TEXT || /["“”]/.test(text) || !namesSomething(text, lexicon)) return undefined
  return { text, assignee, dueDate: due?.day ?? null, sourceStart: segments[sentence.segment]?.start ?? null, score, at: sentence.at }
}

function assigneeOf({ doer }: Task, { speaker }: Sentence, accepts: string | null) {
  if (doer === 'speaker') return speaker || null
  if (doer === 'open') return null
  return (doer === 'asked' ? accepts : doer.label) || null
}

/** Who of the others says yes to it next. */
function acceptedBy(sentence: Sentence, { segments }: Conversation): string | null {
  let next = sentence.segment + 1
  while (next < sentence.segment + 4 && segments[next]?.speaker === sentence.speaker) next++
  const reply = segments[next]
  if (!reply || reply.speaker === sentence.speaker) return null
  const text = reply.text.replace(/\{[^{}]*\}|\[[^[\]]*\]/g, ' ').trim()
  if (!ACCEPTS.test(text)) return null
  // With several listeners a bare "okay" is no more than listening.
  return WEAKLY_ACCEPTS.test(text) && otherOf(sentence.speaker, segments) === null ? null : reply.speaker
}

function otherOf(speaker: string, segments: Conversation['segments']) {
  const others = new Set(segments.map(segment => segment.speaker).filter(name => name !== speaker))
  return others.size === 1 ? ([...others][0] ?? null) : null
}

function contentOf(text: string, lexicon: Lexicon) {
  return wordsOf(text, lexicon.code).filter(word => !lexicon.stop.has(word))
}

/** "Double check" and "Take a closer look at it" say too little of what is to be done. */
function namesSomething(text: string, lexicon: Lexicon) {
  const [, ...objects] = wordsOf(text, lexicon.code)
  return objects.some(word => !lexicon.stop.has(word) && !EMPTY_OBJECTS.has(word))
}

const EMPTY_OBJECTS = new Set(
  'check look closer back thing things note soon try work question see point touch stuff new hopefully together down possible hard management next meeting time members member well'.split(
    ' '
  )
)

function keyOf({ text }: ExtractedItem, lexicon: Lexicon) {
  return new Set(contentOf(text, lexicon).map(stem))
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>) {
  const shared = [...a].filter(word => b.has(word)).length
  return shared / Math.max(1, Math.min(a.size, b.size)) >= 0.75
}
