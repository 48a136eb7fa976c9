import { isDeepStrictEqual } from 'node:util'
import type { ActionItem } from '../contract/action-item.ts'
import { findDueWords } from '../core/due-date.ts'
import type { Segment } from '../core/segment.ts'

/** Of what was said, so many stretches may be where an item without a time comes from. */
const MAX_SOURCES = 3
const MAX_SENTENCES = 50
const MAX_SENTENCE = 500

interface Days {
  from: string
  to: string
}

/**
 * The items of a conversation that turns out to have taken place on another day: due dates that words such as "by Friday" name, in
 * the item or where it was said, are counted from that day. Items that a user wrote or edited stay as they are.
 */
export function redatedItems(items: ActionItem[], segments: readonly Segment[], days: Days, now: Date): ActionItem[] {
  return items.map(item => {
    if (item.source !== 'agent' || item.user_edited_at || !item.due_date) return item
    const due = dueFrom(item.due_date, [item.text, ...sourcesOf(item, segments)], days)
    return due === item.due_date ? item : { ...item, due_date: due, updated_at: now.getTime() }
  })
}

export function isRedated(before: ActionItem[], after: ActionItem[]) {
  return !isDeepStrictEqual(before, after)
}

/** The date that the same words name, seen from the other day; the date there is where none of them name it. */
function dueFrom(due: string, texts: string[], { from, to }: Days) {
  for (const sentence of texts.flatMap(sentencesIn)) {
    if (findDueWords(sentence, from)?.day !== due) continue
    const day = findDueWords(sentence, to)?.day
    if (day) return day
  }
  return due
}

/** What was said when the item was committed to; without times, the stretches that share half of its words or more. */
function sourcesOf({ text, source_start: start }: ActionItem, segments: readonly Segment[]) {
  if (start !== null && start !== undefined) return segments.flatMap((said, at) => (said.start === start ? [withNext(segments, at)] : []))
  const wanted = wordsOf(text)
  return segments
    .map((said, at) => ({ at, shared: [...wordsOf(said.text)].filter(word => wanted.has(word)).length }))
    .filter(({ shared }) => shared >= Math.max(2, wanted.size / 2))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, MAX_SOURCES)
    .map(({ at }) => withNext(segments, at))
}

/** A sentence may go on in the speaker's next stretch. */
function withNext(segments: readonly Segment[], at: number) {
  const [said, next] = [segments[at], segments[at + 1]]
  return said && next?.speaker === said.speaker ? `${said.text} ${next.text}` : (said?.text ?? '')
}

function sentencesIn(text: string) {
  return text
    .split(/(?<=[.!?])\s/)
    .slice(0, MAX_SENTENCES)
    .map(sentence => sentence.slice(0, MAX_SENTENCE))
}

function wordsOf(text: string) {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu))
}
