import { findDueWords } from '../../core/due-date.ts'
import type { Conversation, ExtractedItem } from '../ai.ts'
import { type Due, readEnglishTask, type Task, taskText } from './english-tasks.ts'
import { type Language, termsOf, wordsOf } from './language.ts'
import { PROMISE, REQUEST } from './other-languages.ts'
import type { Sentence } from './sentences.ts'

export interface ScoredItem extends ExtractedItem {
  score: number
  /** Index of its sentence. */
  index: number
}

const MAX_ITEMS = 25
const MAX_TEXT_CHARACTERS = 240
const MIN_SCORE = 3
/** Two items with this share of words in common are one. */
const MAX_OVERLAP = 0.75
/** "Double check" and "Bring it in" do not say what. */
const VAGUE_TEXT = /^\S+ (?:it|that|this|them)(?: \S+)?$/i
const VAGUE_TERM = /^(?:check|double-check|look|closer|back|thing|note|soon|try|work|question|point|touch|stuff|new|next|time)$/
const ACCEPTANCE =
  /^\W*(?:(?:um|uh|oh|ah|okay|ok|yeah|yes|well)\b\W*)*(?:sure|will do|of course|no problem|yes|yeah|yep|absolutely|definitely|certainly|on it|got it|happy to|I['’ ]*(?:will|can|ll)\b|sounds good|no worries|okay|ok|alright|sicher|klar|mache ich|gerne?|natürlich|ja|bien sûr|oui|d['’]accord|claro|por supuesto|sí|vale)(?=[\s,.!]|$)/i

const ROLE =
  /\b(?:mr|mrs|ms|dr|prof|professor|hon|sir|herr|frau|mme|señora?|phd|grad|postdoc|speaker|participant|guest|unknown|manager|designer|interface|marketing|chair|engineer|director|agent|customer|caller|host|interviewer|support|sales|lead|doctor|patient|teacher|student)\b/i
const WEAK_ACCEPTANCE = /^\W*(?:okay|ok|alright|yeah|ja|oui|sí|vale)\W*$/i

/** What somebody promised or was asked to do, in the order of the conversation. */
export function findItems({ segments, day }: Conversation, sentences: readonly Sentence[], language: Language): ScoredItem[] {
  const speakers = new Set(segments.map(({ speaker }) => speaker))
  const labels = labelsByName([...speakers])

  function readEnglishItem({ text, speaker, segment, index }: Sentence) {
    const found = findDueWords(text, day)
    const due: Due = found === null ? 'never' : found.day === day ? 'today' : 'later'
    const task = readEnglishTask(text, due, action => termsOf(wordsOf(action), language).length)
    if (!task || (typeof task.doer === 'object' && !isPerson(task.doer.name, task.score))) return undefined
    const acceptedBy = task.doer === 'asked' ? acceptingSpeaker(speaker, segment) : null
    const [you, me] = task.doer === 'asked' ? [null, speaker] : [onlyListener(speaker), null]
    return {
      segment,
      index,
      text: taskText(task.action, found?.words ?? '', you, me),
      assignee: assigneeOf(task, speaker, acceptedBy),
      dueDate: found?.day ?? null,
      // A request that nobody accepts is talk, unless it names a day.
      score: task.score + (acceptedBy ? 1 : 0)
    }
  }

  /** Somebody who does not speak counts as a person only with a sure task and a day. */
  function isPerson(name: string, score: number) {
    return labels.has(name.toLowerCase()) || (score >= 5 && !language.stopWords.has(name.toLowerCase()))
  }

  function assigneeOf({ doer }: Task, speaker: string, acceptedBy: string | null) {
    if (typeof doer === 'object') return labels.get(doer.name.toLowerCase()) ?? doer.name
    return doer === 'speaker' ? speaker : acceptedBy
  }

  /** Without rules for tasks, a promise or request that names a day is an item, as it was said. */
  function readForeignItem({ text, speaker, isQuestion, segment, index }: Sentence) {
    const dueDate = findDueWords(text, day, language.code)?.day ?? day
    const isRequest = REQUEST.test(text)
    if (dueDate === day || !(isRequest || (!isQuestion && PROMISE.test(text)))) return undefined
    const assignee = isRequest ? acceptingSpeaker(speaker, segment) : speaker
    return { segment, index, text, assignee, dueDate, score: MIN_SCORE }
  }

  /** The other speaker who says yes next. */
  function acceptingSpeaker(speaker: string, segment: number): string | null {
    const reply = segments.slice(segment + 1, segment + 5).find(next => next.speaker !== speaker)
    const text = reply?.text.replace(/\{[^{}]*\}|\[[^[\]]*\]/g, ' ').trim() ?? ''
    if (!reply || !ACCEPTANCE.test(text)) return null
    // With several listeners, a bare "okay" only means that somebody listens.
    return WEAK_ACCEPTANCE.test(text) && speakers.size > 2 ? null : reply.speaker
  }

  function onlyListener(speaker: string): string | null {
    return speakers.size === 2 ? ([...speakers].find(name => name !== speaker) ?? null) : null
  }

  const found = sentences
    .filter(({ isSound }) => isSound)
    .flatMap(sentence => (language.isEnglish ? readEnglishItem(sentence) : readForeignItem(sentence)) ?? [])
    .filter(({ score, text, dueDate }) => {
      const isNamed = dueDate !== null || termsOf(wordsOf(text), language).some(term => !VAGUE_TERM.test(term))
      return score >= MIN_SCORE && isNamed && !VAGUE_TEXT.test(text) && text.length <= MAX_TEXT_CHARACTERS && !/["“”]/.test(text)
    })
  const kept: ((typeof found)[number] & { words: Set<string> })[] = []
  for (const item of found.sort((a, b) => b.score - a.score)) {
    const words = new Set(wordsOf(item.text))
    const isNew = kept.every(other => words.intersection(other.words).size < MAX_OVERLAP * Math.min(words.size, other.words.size))
    if (isNew && kept.length < MAX_ITEMS) kept.push({ ...item, words })
  }
  return kept
    .sort((a, b) => a.index - b.index)
    .map(({ text, assignee, dueDate, segment, score, index }) => {
      return { text, assignee: assignee || null, dueDate, sourceStart: segments[segment]?.start ?? null, score, index }
    })
}

/** The speaker label for each name that others may use: the whole label, and the first name where only one speaker has it. */
function labelsByName(labels: readonly string[]): ReadonlyMap<string, string> {
  const names = labels.flatMap(label => {
    const bare = withoutRemark(label)
    const [first = ''] = bare.split(' ')
    return (ROLE.test(bare) || first === bare ? [bare] : [bare, first]).map(name => ({ name: name.toLowerCase(), label }))
  })
  const unique = [...Map.groupBy(names, ({ name }) => name)].filter(([name, owners]) => name.length > 2 && owners.length === 1)
  return new Map(unique.flatMap(([name, [owner]]) => (owner ? [[name, owner.label]] : [])))
}

/** A label without the brackets at its end, which hold an office or a party. */
export function withoutRemark(label: string): string {
  const open = label.trimEnd().replace(/(?<!\))\)+$/, '')
  const at = open.indexOf('(', open.lastIndexOf(')') + 1)
  return (at < 0 ? label : label.slice(0, at)).trim()
}
