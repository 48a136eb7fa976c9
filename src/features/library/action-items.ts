import { isDeepStrictEqual } from 'node:util'
import type { ActionItem } from '../../contract/action-item.ts'
import type { ActionItemChange } from '../../contract/action-item-list.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { ActionItemInput } from '../../contract/session-change.ts'
import { invalid } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import { DUE_DATE_REMEDY, normalizeDueDate } from '../../platform/text/due-date.ts'

/** A sent item with its parsed due date: a day, null to clear it, undefined to keep it. */
type SentItem = Omit<ActionItemInput, 'due_date'> & { dueDate: string | null | undefined }

/** Parses due dates relative to `today`. Throws invalid_request for words that are not a date, and for repeated ids. */
export function readSentItems(sent: ActionItemInput[], today: string): SentItem[] {
  const seen = new Set<string>()
  return sent.map(({ due_date: words, ...item }, index) => {
    if (item.id !== undefined && seen.has(item.id))
      throw invalid({ field: `action_items.${index}.id`, expected: 'each id once' })
    if (item.id !== undefined) seen.add(item.id)
    return { ...item, dueDate: readDueDate(words, today, `action_items.${index}.due_date`) }
  })
}

/** A change of one item of a session. */
export interface ItemChange {
  id: string
  change: ActionItemChange
}

/** Parses the due date relative to `today`. Throws invalid_request for words that are not a date. */
export function readItemChange({ id, change: { due_date: words, ...change } }: ItemChange, today: string) {
  return { ...change, id, dueDate: readDueDate(words, today, 'due_date') }
}

/** `field` names the due date in the error. */
function readDueDate(words: string | null | undefined, today: string, field: string) {
  if (words === undefined) return undefined
  if (words === null || words === '') return null
  const day = normalizeDueDate(words, today)
  if (day === null) throw invalid({ field, expected: DUE_DATE_REMEDY })
  return day
}

/** Returns the list with the changed item, or undefined if no value differs. */
export function changeItem(current: readonly ActionItem[], change: ReturnType<typeof readItemChange>, now: Date) {
  const items = current.map(item => (item.id === change.id ? changedItem(item, change, now.getTime()) : item))
  return isDeepStrictEqual(items, current) ? undefined : items
}

/** An item to add, of which a due date is words. */
export type ItemToAdd = Pick<ActionItemInput, 'text' | 'assignee' | 'due_date'>

/** Parses the due date relative to `today`. Throws invalid_request for words that are not a date. */
export function readItemToAdd({ due_date: words, ...item }: ItemToAdd, today: string) {
  return { ...item, dueDate: readDueDate(words, today, 'due_date') }
}

/** Returns the list with one more item, or undefined if an open one has its text already. Throws if the list is full. */
export function addItem(current: readonly ActionItem[], item: ReturnType<typeof readItemToAdd>, now: Date) {
  if (current.some(({ text, completed }) => !completed && text === item.text)) return undefined
  const { max } = LIMITS.actionItems
  if (current.length >= max)
    throw invalid({ problem: `the session has ${current.length} action items already, and may have ${max}` })
  return [...current, newItem({ ...item, source: 'user' }, now.getTime())]
}

/** Returns the new list: known ids update their item, others create one. */
export function replaceItems(current: readonly ActionItem[], sent: readonly SentItem[], now: Date): ActionItem[] {
  const known = new Map(current.map(item => [item.id, item]))
  return sent.map(item => {
    const before = item.id === undefined ? undefined : known.get(item.id)
    return before
      ? changedItem(before, item, now.getTime())
      : newItem({ ...item, source: item.source ?? 'user' }, now.getTime())
  })
}

function changedItem(before: ActionItem, change: Partial<SentItem>, now: number): ActionItem {
  const kept = { assignee: before.assignee ?? null, dueDate: before.due_date ?? null }
  const { text = before.text, completed = before.completed, assignee = kept.assignee, dueDate = kept.dueDate } = change
  const isEdited = text !== before.text || dueDate !== kept.dueDate
  const isChanged = isEdited || completed !== before.completed || assignee !== kept.assignee
  return {
    ...before,
    text,
    completed,
    assignee,
    due_date: dueDate,
    ...(isEdited && { user_edited_at: now }),
    ...(isChanged && { updated_at: now })
  }
}

interface NewItem {
  text: string
  completed?: boolean | undefined
  source?: ActionItem['source'] | undefined
  assignee?: string | null | undefined
  dueDate?: string | null | undefined
  /** Seconds into the recording; null where the source has no times. */
  sourceStart?: number | null
}

/** Creates an item; by default the service has extracted it. */
export function newItem(
  { text, completed = false, source = 'agent', assignee = null, dueDate = null, sourceStart = null }: NewItem,
  now: number
): ActionItem {
  return {
    id: newId('ai'),
    text,
    completed,
    source,
    assignee,
    due_date: dueDate,
    source_start: sourceStart,
    user_edited_at: null,
    created_at: now,
    updated_at: now
  }
}
