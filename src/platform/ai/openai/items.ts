import { LIMITS } from '../../../contract/limits.ts'
import { normalizeDueDate } from '../../text/due-date.ts'
import { toSources } from '../../text/outline.ts'
import type { ExtractedItem } from '../ai.ts'
import type { PartAnswer } from './answers.ts'
import type { Evidence } from './evidence.ts'
import { toPlainLine } from './plain-text.ts'
import { citeLines, joinSources, MAX, markUnless, type Point, type Reading, wordsKey } from './statements.ts'
import { toLine } from './text.ts'

type Answered = NonNullable<PartAnswer['action_items']>

const IN_CALL = /^(?:in.?(?:the.)?call|during)/i
const SUGGESTED = /suggest|propos/i

/**
 * The items of an answer, and as points those that were only suggested. What is done during the conversation is none. Times come from the lines that
 * an item cites, never from the model.
 */
export function readItems(answered: Answered, reading: Reading, evidence: Evidence) {
  // More items than are kept, because some repeat. Their number is bounded, because parsing due dates is slow.
  const later = answered.slice(0, 2 * MAX.items).filter(({ kind }) => !IN_CALL.test(kind ?? ''))
  const read = later.map(item => ({
    item: readItem(item, reading, evidence),
    isSuggested: SUGGESTED.test(item.kind ?? '')
  }))
  const found = read.filter(({ item }) => item.text !== '')
  return {
    items: withoutRepeats(found.flatMap(({ item, isSuggested }) => (isSuggested ? [] : [item]))),
    suggestions: found.flatMap(({ item, isSuggested }) => (isSuggested ? [toPoint(item)] : []))
  }
}

function readItem(
  { text: written, assignee, due_date, lines: given }: Answered[number],
  { conversation, shown, findSpeaker, findPerson }: Reading,
  evidence: Evidence
): ExtractedItem {
  const { segments, day } = conversation
  const text = toPlainLine(written, LIMITS.actionItems.text)
  const { lines, isInvented } = citeLines(given, shown)
  const sources = toSources(lines, segments)
  return {
    text,
    assignee: toLine(findSpeaker(assignee) ?? findPerson(assignee) ?? '', LIMITS.actionItems.assignee) || null,
    dueDate: due_date === null ? null : toDay(due_date, day),
    sourceStart: sources[0]?.start ?? null,
    sources,
    ...markUnless(!isInvented && evidence.supports(text, lines))
  }
}

function toPoint({ text, sources = [], unsupported }: ExtractedItem): Point {
  return { text, speaker: null, sources, topic: null, ...markUnless(unsupported !== true) }
}

// Models like to repeat the preposition, which the date rules take for other text.
function toDay(dueDate: string, today: string) {
  return normalizeDueDate(toLine(dueDate, LIMITS.actionItems.dueDate).replace(/^(by|on|until|till|due) /i, ''), today)
}

/** Joins the items with the same words. */
export function withoutRepeats(items: readonly ExtractedItem[]): ExtractedItem[] {
  const byWords = new Map<string, ExtractedItem>()
  for (const item of items) {
    const words = wordsKey(item.text)
    const same = byWords.get(words)
    // Two people may have promised the same.
    const key =
      same?.assignee && item.assignee && same.assignee !== item.assignee ? `${words}\n${item.assignee}` : words
    const known = byWords.get(key)
    byWords.set(key, known ? completeItem(known, item) : item)
  }
  return [...byWords.values()].slice(0, MAX.items)
}

/** The first item with what the other one knows beside it. */
export function completeItem(first: ExtractedItem, other: ExtractedItem): ExtractedItem {
  return {
    ...first,
    assignee: first.assignee ?? other.assignee,
    dueDate: first.dueDate ?? other.dueDate,
    sourceStart: earliest(first.sourceStart, other.sourceStart),
    sources: joinSources([...(first.sources ?? []), ...(other.sources ?? [])])
  }
}

function earliest(one: number | null, other: number | null) {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}
