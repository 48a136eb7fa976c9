import type { ActionItem } from '../../contract/action-item.ts'
import { LIMITS } from '../../contract/limits.ts'
import { nameKey } from '../../platform/text/fold.ts'

/** How the action items of a session that is summarized again are kept or found again. */
type ItemMode = 'keep' | 'merge' | 'replace'

/**
 * Returns the list after a new summary. With `merge`, an item that a person has written, changed or ticked off stays as it is, and a new item
 * from the same moment or with the same words is left out. A new item that says what an untouched one says keeps its id.
 */
export function mergeItems(before: readonly ActionItem[], found: readonly ActionItem[], mode: ItemMode): ActionItem[] {
  if (mode === 'keep') return [...before]
  const kept = mode === 'merge' ? before.filter(isTouched) : []
  const others = before.filter(item => !isTouched(item))
  const added = found.filter(item => !kept.some(known => isSame(known, item)))
  const again = added.map(item => others.find(known => saysTheSame(known, item)) ?? item)
  return [...kept, ...new Set(again)].slice(0, Math.max(LIMITS.actionItems.max, kept.length))
}

/** Whether a person, and not the service alone, has had a hand in it. */
function isTouched({ source, completed, user_edited_at, created_at, updated_at }: ActionItem) {
  return source === 'user' || completed || (user_edited_at ?? null) !== null || updated_at !== created_at
}

function isSame(known: ActionItem, item: ActionItem) {
  const isSameMoment = (item.source_start ?? null) !== null && item.source_start === known.source_start
  return isSameMoment || nameKey(known.text) === nameKey(item.text)
}

/** Whether two items have the same content, whatever their ids. */
export function saysTheSame(known: ActionItem, item: ActionItem) {
  return (
    known.text === item.text &&
    (known.assignee ?? null) === (item.assignee ?? null) &&
    (known.due_date ?? null) === (item.due_date ?? null) &&
    (known.source_start ?? null) === (item.source_start ?? null)
  )
}
