import type { ActionItem } from '../contract/action-item.ts'
import { findDueWords } from '../core/due-date.ts'
import type { Segment } from '../core/segment.ts'

/** The maximum number of turns that may be the source of an item. */
const MAX_SOURCES = 3
/** Only so many turns are compared with items without a time: up to 200 items are compared with each. */
const MAX_TURNS = 10_000
const MAX_SENTENCES = 50
const MAX_SENTENCE = 500

interface Days {
  from: string
  to: string
}

/**
 * Moves due dates that were given in words, such as "by Friday", from one day of the conversation to another. The words are searched in the
 * item and in the turns that it comes from. Items that a user wrote or edited stay.
 */
export function moveDueDates(items: ActionItem[], segments: readonly Segment[], days: Days, now: Date): ActionItem[] {
  const turns = segments.slice(0, MAX_TURNS).map(({ text }) => wordsOf(text))
  return items.map(item => {
    if (item.source !== 'agent' || item.user_edited_at || !item.due_date) return item
    const due = dueFrom(item.due_date, [item.text, ...sourcesOf(item, segments, turns)], days)
    return due === item.due_date ? item : { ...item, due_date: due, updated_at: now.getTime() }
  })
}

/** Returns the date of the same words on the other day, or the same date if no words name it. */
function dueFrom(due: string, texts: string[], { from, to }: Days) {
  for (const sentence of texts.flatMap(sentencesIn)) {
    if (findDueWords(sentence, from)?.day !== due) continue
    const day = findDueWords(sentence, to)?.day
    if (day) return day
  }
  return due
}

/** Returns the turns at the start time of the item, or else those of the `turns` that share at least half of its words. */
function sourcesOf({ text, source_start: start }: ActionItem, segments: readonly Segment[], turns: Set<string>[]) {
  const wanted = wordsOf(text)
  const found =
    typeof start === 'number'
      ? segments.flatMap((said, at) => (said.start === start ? [{ at }] : []))
      : turns
          .map((words, at) => ({ at, shared: wanted.intersection(words).size }))
          .filter(({ shared }) => shared >= Math.max(2, wanted.size / 2))
          .sort((a, b) => b.shared - a.shared)
  return found.slice(0, MAX_SOURCES).map(({ at }) => withNext(segments, at))
}

/** Appends the next turn of the same speaker, where a sentence may continue. */
function withNext(segments: readonly Segment[], at: number) {
  const [said, next] = [segments[at], segments[at + 1]]
  return said && next?.speaker === said.speaker ? `${said.text} ${next.text}` : (said?.text ?? '')
}

function sentencesIn(text: string) {
  return text
    .slice(0, MAX_SENTENCES * MAX_SENTENCE)
    .split(/(?<=[.!?])\s/)
    .slice(0, MAX_SENTENCES)
    .map(sentence => sentence.slice(0, MAX_SENTENCE))
}

function wordsOf(text: string) {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu))
}
