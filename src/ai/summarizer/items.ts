import { findDueWords } from '../../core/due-date.ts'
import type { Conversation, ExtractedItem } from '../ai.ts'
import { MIN_SCORE, readEnglishTask, type Task } from './english-tasks.ts'
import { type Language, termsOf, wordsOf } from './language.ts'
import { PROMISE, REQUEST } from './other-languages.ts'
import type { Sentence } from './sentences.ts'
import { taskText } from './task-text.ts'

export interface ScoredItem extends ExtractedItem {
  score: number
  /** Index of its sentence. */
  index: number
}

const MAX_ITEMS = 25
const MAX_TEXT_CHARACTERS = 240
/** Two items with this share of words in common are one. */
const MAX_OVERLAP = 0.75
/** A reply comes within this many segments. */
const REPLY_SEGMENTS = 4
/** "Double check" and "Bring it in" do not say what. */
const VAGUE_TEXT = /^\S+ (?:it|that|this|them)(?: \S+)?$/i
const VAGUE_TERM = /^(?:check|double-check|look|closer|back|thing|note|soon|try|work|question|point|touch|stuff|new|next|time)$/
const ACCEPTANCE =
  /^\W*(?:(?:um|uh|oh|ah|well)\b\W*)*(?:sure|will do|of course|no problem|yes|yeah|yep|absolutely|definitely|happy to|I['’ ]*(?:will|can|ll)\b|okay|ok|alright|sicher|klar|mache ich|gerne?|natürlich|ja|bien sûr|oui|d['’]accord|claro|por supuesto|sí|vale)(?=[\s,.!]|$)/i
const WEAK_ACCEPTANCE = /^\W*(?:okay|ok|alright|yeah|ja|oui|sí|vale)\W*$/i

/** The promises and requests to do something, in the order of the conversation. */
export function findItems({ segments, day }: Conversation, sentences: readonly Sentence[], language: Language): ScoredItem[] {
  const speakers = [...new Set(segments.map(({ speaker }) => speaker))]
  const labels = labelsByName(speakers)

  function readEnglishItem({ text, speaker, segment }: Sentence) {
    const due = findDueWords(text, day)
    const when = due === null ? 'never' : due.day === day ? 'today' : 'later'
    const task = readEnglishTask(text, when, action => termsOf(wordsOf(action), language).length)
    if (!task || (typeof task.doer === 'object' && !isPerson(task.doer.name, task.score))) return undefined
    const acceptedBy = task.doer === 'asked' ? acceptingSpeaker(speaker, segment) : null
    const [listener = null, ...others] = speakers.filter(name => name !== speaker)
    const [you, me] = task.doer === 'asked' ? [null, speaker] : [others.length === 0 ? listener : null, null]
    return {
      text: taskText(task.action, due?.words ?? '', you, me),
      assignee: assigneeOf(task, speaker, acceptedBy),
      dueDate: due?.day ?? null,
      // A request that nobody accepts is talk, unless it names a day.
      score: task.score + (acceptedBy ? 2 : 0)
    }
  }

  /** Somebody who does not speak counts as a person only with a sure task and a day. */
  function isPerson(name: string, score: number) {
    return labels.has(name.toLowerCase()) || (score >= MIN_SCORE + 2 && !language.stopWords.has(name.toLowerCase()))
  }

  function assigneeOf({ doer }: Task, speaker: string, acceptedBy: string | null) {
    if (typeof doer === 'object') return labels.get(doer.name.toLowerCase()) ?? doer.name
    return doer === 'speaker' ? speaker : acceptedBy
  }

  /** Without rules for tasks, a promise or request that names a day to come is an item, as it was said. */
  function readForeignItem({ text, speaker, isQuestion, segment }: Sentence) {
    const dueDate = findDueWords(text, day, language.code)?.day ?? day
    const isRequest = REQUEST.test(text)
    if (dueDate === day || !(isRequest || (!isQuestion && PROMISE.test(text)))) return undefined
    return { text, assignee: isRequest ? acceptingSpeaker(speaker, segment) : speaker, dueDate, score: MIN_SCORE }
  }

  /** The other speaker who says yes next. With several listeners, a bare "okay" only means that somebody listens. */
  function acceptingSpeaker(speaker: string, segment: number): string | null {
    const reply = segments.slice(segment + 1, segment + 1 + REPLY_SEGMENTS).find(next => next.speaker !== speaker)
    const text = reply?.text.replace(/\{[^{}]*\}|\[[^[\]]*\]/g, ' ') ?? ''
    return reply && ACCEPTANCE.test(text) && (speakers.length < 3 || !WEAK_ACCEPTANCE.test(text)) ? reply.speaker : null
  }

  function isSpecific({ text, dueDate }: { text: string; dueDate: string | null }) {
    const isNamed = dueDate !== null || termsOf(wordsOf(text), language).some(term => !VAGUE_TERM.test(term))
    return isNamed && !VAGUE_TEXT.test(text) && text.length <= MAX_TEXT_CHARACTERS && !/["“”]/.test(text)
  }

  const found = sentences.flatMap(sentence => {
    const item = sentence.isSound ? (language.isEnglish ? readEnglishItem(sentence) : readForeignItem(sentence)) : undefined
    if (!item || item.score < MIN_SCORE || !isSpecific(item)) return []
    const sourceStart = segments[sentence.segment]?.start ?? null
    return { ...item, assignee: item.assignee || null, sourceStart, index: sentence.index, words: new Set(wordsOf(item.text)) }
  })
  const kept: typeof found = []
  for (const item of found.sort((a, b) => b.score - a.score)) {
    const isNew = kept.every(({ words }) => words.intersection(item.words).size < MAX_OVERLAP * Math.min(words.size, item.words.size))
    if (isNew && kept.length < MAX_ITEMS) kept.push(item)
  }
  return kept.sort((a, b) => a.index - b.index)
}

/** The speaker label for each name that others may use: the whole label, and the first name where only one speaker has it. */
function labelsByName(labels: readonly string[]): ReadonlyMap<string, string> {
  const names = labels.flatMap(label => {
    const name = withoutRemark(label).toLowerCase()
    return [...new Set([name, name.split(' ')[0] ?? ''])].map(each => ({ name: each, label }))
  })
  const unique = [...Map.groupBy(names, ({ name }) => name)].filter(([name, owners]) => name.length > 2 && owners.length === 1)
  return new Map(unique.flatMap(([name, [owner]]) => (owner ? [[name, owner.label]] : [])))
}

/** A label without the brackets at its end, which hold an office or a party. */
export function withoutRemark(label: string): string {
  return label
    .trim()
    .replace(/^([^(]+)\(.*\)$/s, '$1')
    .trim()
}
