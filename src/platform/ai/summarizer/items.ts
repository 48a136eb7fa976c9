import { findDueWords } from '../../text/due-date.ts'
import { toSources } from '../../text/outline.ts'
import { isVoiceLabel } from '../../text/speaker-name.ts'
import type { Conversation, ExtractedItem } from '../ai.ts'
import { resolveObject } from './antecedent.ts'
import { mayCommit, readEnglishTask, type Task, taskText } from './english-tasks.ts'
import { type Language, lowerCaseWords, termsOf } from './language.ts'
import { PROMISE, QUOTED, REQUEST } from './other-languages.ts'
import type { Sentence } from './sentences.ts'

export interface FoundItem extends Required<Omit<ExtractedItem, 'unsupported'>> {
  /** Index of its sentence. */
  index: number
}

const MAX_ITEMS = 25
const MAX_TEXT_CHARACTERS = 240
/** Two items with this share of words in common are one. */
const MAX_OVERLAP = 0.75
/** A reply comes within this many segments. */
const REPLY_SEGMENTS = 4
const REPLY_CHARACTERS = 60
/** A question or request comes within this many sentences before a promise. */
const ASKED_SENTENCES = 3
const ASKING =
  /\?$|\b(?:(?:can|could|will|would) you|need(?:s|ed)? to|would be (?:nice|good|great|useful)|should|please)\b/i
const THANKS = /^\W*(?:okay,? |yeah,? |oh,? )*(?:thanks?|great|perfect|excellent|cool|awesome|good|that would be)\b/i
/** In a conversation of this many sentences, tasks are given in the last part. */
const MIN_LONG = 40
const END_FROM = 0.8
const START_UNTIL = 0.06
/** "Investigate" and "Bring it in" do not say what. */
const VAGUE_TEXT =
  /^\S+(?: (?:it|them)(?: \S+)?| (?:this|that|these|those)(?: (?:in|on|up|out|over|to|back|down|off|there|here|now|again|as|for|with|too|first|all))?| (?:something|anything|everything|some|one))?$/i
const ACCEPTANCE =
  /^\W*(?:sure|will do|of course|no problem|yes|yeah|yep|absolutely|definitely|happy to|I['’ ]*(?:will|can|ll)\b|okay|ok|alright|sicher|klar|mache ich|gerne?|natürlich|ja|bien sûr|oui|d['’]accord|claro|por supuesto|sí|vale)(?=[\s,.!]|$)/i

/** The promises and requests to do something, in the order of the conversation. */
export function findItems(
  { segments, day }: Conversation,
  sentences: readonly Sentence[],
  language: Language
): FoundItem[] {
  const speakers = [...new Set(segments.map(({ speaker }) => speaker))]
  const labels = labelsByName(speakers)

  function readEnglishItem(sentence: Sentence) {
    if (!mayCommit(sentence.text)) return undefined
    const due = findDueWords(sentence.text, day)
    const task = readEnglishTask(sentence.text, { isDated: due !== null, ...surroundingsOf(sentence) })
    const assignee = task && assigneeOf(task, sentence)
    if (!task || assignee === undefined) return undefined
    const [listener = null, ...others] = speakers.filter(name => name !== sentence.speaker)
    const [you, me] = task.doer === 'asked' ? [null, sentence.speaker] : [others.length === 0 ? listener : null, null]
    const [youNamed, meNamed] = [you, me].map(name => (name !== null && isVoiceLabel(name) ? null : name))
    const before = sentences.slice(Math.max(0, sentence.index - ASKED_SENTENCES), sentence.index)
    const resolved = resolveObject(task.action, before, language)
    const text = taskText(resolved?.text ?? task.action, due?.words ?? '', youNamed ?? null, meNamed ?? null)
    return { text, assignee, dueDate: due?.day ?? null, lines: resolved?.lines ?? [] }
  }

  function surroundingsOf({ index, speaker, segment }: Sentence) {
    const before = sentences.slice(Math.max(0, index - ASKED_SENTENCES), index)
    const after = segments.slice(segment + 1, segment + 1 + REPLY_SEGMENTS)
    return {
      isNearStart: sentences.length >= MIN_LONG && index < sentences.length * START_UNTIL,
      isNearEnd: sentences.length >= MIN_LONG && index >= sentences.length * END_FROM,
      isAsked: before.some(other => other.speaker !== speaker && ASKING.test(other.text)),
      isThanked: after.some(other => other.speaker !== speaker && THANKS.test(other.text.slice(0, REPLY_CHARACTERS)))
    }
  }

  /** Returns the assignee, or null if nobody is named. Undefined for talk, which has neither a time nor a known assignee. */
  function assigneeOf({ doer, isSure }: Task, { speaker, segment }: Sentence): string | null | undefined {
    if (doer === 'speaker') return speaker
    if (typeof doer === 'object') {
      const name = doer.name.toLowerCase()
      return labels.get(name) ?? (isSure && !language.stopWords.has(name) ? doer.name : undefined)
    }
    return (doer === 'asked' ? acceptingSpeaker(speaker, segment) : null) ?? (isSure ? null : undefined)
  }

  /** In a language without rules for tasks, a promise or request with a future day becomes an item in its own words. */
  function readForeignItem({ text, speaker, isQuestion, segment }: Sentence) {
    const dueDate = findDueWords(text, day, language.code)?.day ?? day
    const isRequest = REQUEST.test(text)
    if (QUOTED.test(text.slice(0, (isRequest ? REQUEST : PROMISE).exec(text)?.index))) return undefined
    if (dueDate === day || !(isRequest || (!isQuestion && PROMISE.test(text)))) return undefined
    return { text, assignee: isRequest ? acceptingSpeaker(speaker, segment) : speaker, dueDate, lines: [] }
  }

  /** The other speaker who says yes next. */
  function acceptingSpeaker(speaker: string, segment: number): string | null {
    const reply = segments.slice(segment + 1, segment + 1 + REPLY_SEGMENTS).find(next => next.speaker !== speaker)
    return reply && ACCEPTANCE.test(reply.text) ? reply.speaker : null
  }

  function isSpecific({ text, dueDate }: { text: string; dueDate: string | null }) {
    const isNamed = dueDate !== null || termsOf(lowerCaseWords(text), language).length > 0
    return isNamed && !VAGUE_TEXT.test(text) && text.length <= MAX_TEXT_CHARACTERS
  }

  const found = sentences.flatMap(sentence => {
    const item = sentence.isSound
      ? language.isEnglish
        ? readEnglishItem(sentence)
        : readForeignItem(sentence)
      : undefined
    if (!item || !isSpecific(item)) return []
    const { lines, ...named } = item
    return {
      ...named,
      assignee: item.assignee || null,
      sourceStart: segments[sentence.segment]?.start ?? null,
      sources: toSources([...lines, ...sentence.lines], segments),
      index: sentence.index,
      words: new Set(lowerCaseWords(item.text))
    }
  })
  const datedFirst = found.toSorted((a, b) => Number(a.dueDate === null) - Number(b.dueDate === null))
  const kept: typeof found = []
  for (const item of datedFirst) {
    const isNew = kept.every(
      ({ words }) => words.intersection(item.words).size < MAX_OVERLAP * Math.min(words.size, item.words.size)
    )
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
  const unique = [...Map.groupBy(names, ({ name }) => name)].filter(
    ([name, owners]) => name.length > 2 && owners.length === 1
  )
  return new Map(unique.flatMap(([name, [owner]]) => (owner ? [[name, owner.label]] : [])))
}

/** A label without the brackets at its end, which hold an office or a party. */
export function withoutRemark(label: string): string {
  return label
    .trim()
    .replace(/^([^(]+)\(.*\)$/s, '$1')
    .trim()
}
