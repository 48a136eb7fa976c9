import type { ActionItem } from '../../contract/action-item.ts'
import { findDueWords } from '../../platform/text/due-date.ts'
import type { Segment } from '../../platform/text/segment.ts'

/** The maximum number of turns that may be the source of an item. */
const MAX_SOURCES = 3
/** An item without a time is compared with at most this many turns, by at most that many of its words. */
const MAX_TURNS = 10_000
const MAX_WORDS = 64
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
  const turns = indexTurns(items, segments)
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

/** Places of turns by their start time, and by the words that they share with items. */
type Turns = ReturnType<typeof indexTurns>

function indexTurns(items: readonly ActionItem[], segments: readonly Segment[]) {
  const byStart = Map.groupBy(segments.keys(), at => segments[at]?.start)
  const byWord = new Map(items.flatMap(({ text }) => comparedWords(text).map((word): [string, number[]] => [word, []])))
  for (const [at, { text }] of segments.slice(0, MAX_TURNS).entries()) {
    for (const word of longWords(text)) byWord.get(word)?.push(at)
  }
  return { byStart, byWord }
}

/** Returns the turns at the start time of the item, or else those that share at least half of its words. */
function sourcesOf(
  { text, source_start: start }: ActionItem,
  segments: readonly Segment[],
  { byStart, byWord }: Turns
) {
  const found = typeof start === 'number' ? (byStart.get(start) ?? []) : findSimilar(comparedWords(text), byWord)
  return found.slice(0, MAX_SOURCES).map(at => withNext(segments, at))
}

/** Returns the turns that share at least half of the words, those that share the most first. */
function findSimilar(words: string[], byWord: Turns['byWord']) {
  const shared = new Uint8Array(MAX_TURNS)
  const sharedBy = (at: number) => shared[at] ?? 0
  for (const word of words) {
    for (const at of byWord.get(word) ?? []) shared[at] = sharedBy(at) + 1
  }
  const found = [...shared.keys()].filter(at => sharedBy(at) >= Math.max(2, words.length / 2))
  return found.sort((a, b) => sharedBy(b) - sharedBy(a))
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

function comparedWords(text: string) {
  return [...longWords(text)].slice(0, MAX_WORDS)
}

function longWords(text: string) {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu))
}
