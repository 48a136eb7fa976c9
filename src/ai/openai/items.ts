import { normalizeDueDate } from '../../core/due-date.ts'
import type { Conversation, ExtractedItem } from '../ai.ts'
import type { Line } from './lines.ts'
import type { PartAnswer } from './prompt.ts'
import { clip, oneLine } from './text.ts'

// The contract's limits of an action item, in code points.
const TEXT_MAX = 2000
const ASSIGNEE_MAX = 200
const DUE_DATE_MAX = 100
const ITEMS_MAX = 200

/** What the model listed, within the contract's limits. Times come from the segment it cites, never from the model. */
export function itemsFrom(listed: PartAnswer['action_items'], part: Line[], { segments, day }: Conversation): ExtractedItem[] {
  const shown = new Set(part.map(({ index }) => index))
  // More than are kept, for the repeats among them, but bounded: reading a due date takes its time.
  const items = listed.slice(0, 2 * ITEMS_MAX).map(({ text, assignee, due_date, line }) => ({
    text: clip(oneLine(text), TEXT_MAX),
    assignee: clip(oneLine(assignee ?? ''), ASSIGNEE_MAX) || null,
    dueDate: due_date === null ? null : dayOf(due_date, day),
    sourceStart: line !== null && shown.has(line) ? (segments[line]?.start ?? null) : null
  }))
  return withoutRepeats(items.filter(({ text }) => text !== ''))
}

// Asked for a day, models like to repeat the preposition, which the date rules take for other text.
function dayOf(dueDate: string, today: string) {
  return normalizeDueDate(clip(oneLine(dueDate), DUE_DATE_MAX).replace(/^(by|on|until|till|due) /i, ''), today)
}

/** One item for each group of numbers, the first completed by the others; then those that read the same. */
export function mergeItems(items: ExtractedItem[], groups: number[][]): ExtractedItem[] {
  const kept: (ExtractedItem | undefined)[] = [...items]
  for (const group of groups) {
    const [first, ...others] = [...new Set(group)].filter(at => kept[at] !== undefined).sort((a, b) => a - b)
    for (const other of others) {
      if (first !== undefined) kept[first] = joined(kept[first], kept[other])
      kept[other] = undefined
    }
  }
  return withoutRepeats(kept.filter(item => item !== undefined))
}

function withoutRepeats(items: ExtractedItem[]) {
  const byWords = new Map<string, ExtractedItem>()
  for (const item of items) {
    const words =
      item.text
        .toLowerCase()
        .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
        .trim() || item.text
    const same = byWords.get(words)
    // Two people may have promised the same.
    const key = same?.assignee && item.assignee && same.assignee !== item.assignee ? `${words}\n${item.assignee}` : words
    byWords.set(key, joined(byWords.get(key), item) ?? item)
  }
  return [...byWords.values()].slice(0, ITEMS_MAX)
}

function joined(first: ExtractedItem | undefined, other: ExtractedItem | undefined): ExtractedItem | undefined {
  if (!first || !other) return first ?? other
  return {
    text: first.text,
    assignee: first.assignee ?? other.assignee,
    dueDate: first.dueDate ?? other.dueDate,
    sourceStart: first.sourceStart ?? other.sourceStart
  }
}
