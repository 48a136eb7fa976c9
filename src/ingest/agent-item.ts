import type { ExtractedItem } from '../ai/ai.ts'
import type { ActionItem } from '../contract/action-item.ts'
import { newId } from '../core/ids.ts'

/** A new item as the service's own finding: one it extracted, or one the source brought. No person has edited it. */
export function agentItem({ text, assignee, dueDate, sourceStart }: ExtractedItem, completed: boolean, now: Date): ActionItem {
  return {
    id: newId('ai'),
    text,
    completed,
    source: 'agent',
    assignee,
    due_date: dueDate,
    source_start: sourceStart,
    user_edited_at: null,
    created_at: now.getTime(),
    updated_at: now.getTime()
  }
}
