import { LIMITS } from '../../../contract/limits.ts'
import { normalizeDueDate } from '../../text/due-date.ts'
import type { Conversation, ExtractedItem } from '../ai.ts'
import type { Line } from './lines.ts'
import type { PartAnswer } from './prompt.ts'
import { toLine } from './text.ts'

const MAX = LIMITS.actionItems

/** The items of an answer within the limits of the contract. Times come from the segment that an item cites, never from the model. */
export function itemsFrom(
  answered: PartAnswer['action_items'],
  part: Line[],
  { segments, day }: Conversation
): ExtractedItem[] {
  const shown = new Set(part.map(({ index }) => index))
  // More items than are kept, because some repeat. Their number is bounded, because parsing due dates is slow.
  const items = answered.slice(0, 2 * MAX.max).map(({ text, assignee, due_date, line }) => ({
    text: toLine(text, MAX.text),
    assignee: toLine(assignee ?? '', MAX.assignee) || null,
    dueDate: due_date === null ? null : toDay(due_date, day),
    sourceStart: line !== null && shown.has(line) ? (segments[line]?.start ?? null) : null
  }))
  return withoutRepeats(items.filter(({ text }) => text !== ''))
}

// Models like to repeat the preposition, which the date rules take for other text.
function toDay(dueDate: string, today: string) {
  return normalizeDueDate(toLine(dueDate, MAX.dueDate).replace(/^(by|on|until|till|due) /i, ''), today)
}

/** Merges each group of numbers into its first item, then the items with the same words. */
export function mergeItems(items: ExtractedItem[], groups: number[][]): ExtractedItem[] {
  const kept: (ExtractedItem | undefined)[] = [...items]
  for (const group of groups) {
    const [first, ...others] = group.filter(at => kept[at]).sort((a, b) => a - b)
    for (const at of others) {
      if (first === undefined || at === first) continue
      kept[first] = completed(kept[first], kept[at])
      kept[at] = undefined
    }
  }
  return withoutRepeats(kept.filter(item => item !== undefined))
}

function withoutRepeats(items: ExtractedItem[]) {
  const byWords = new Map<string, ExtractedItem>()
  for (const item of items) {
    const words = (item.text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [item.text]).join(' ')
    const same = byWords.get(words)
    // Two people may have promised the same.
    const key =
      same?.assignee && item.assignee && same.assignee !== item.assignee ? `${words}\n${item.assignee}` : words
    byWords.set(key, completed(byWords.get(key), item) ?? item)
  }
  return [...byWords.values()].slice(0, MAX.max)
}

function completed(first: ExtractedItem | undefined, other: ExtractedItem | undefined): ExtractedItem | undefined {
  if (!first || !other) return first ?? other
  return {
    text: first.text,
    assignee: first.assignee ?? other.assignee,
    dueDate: first.dueDate ?? other.dueDate,
    sourceStart: first.sourceStart ?? other.sourceStart
  }
}
