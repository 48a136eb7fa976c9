import type { ActionItem } from '../../contract/action-item.ts'
import { and, notInArray, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { actionItems } from '../../platform/db/schema/index.ts'
import { nameKey } from '../../platform/text/fold.ts'
import type { SessionRow } from './session-row.ts'

/**
 * Writes the rows that list the action items of a session, and none unless it is completed. Call it in the transaction that changes the
 * items or the state, with the session locked.
 */
export async function indexActionItems(
  tx: Db,
  userId: string,
  { sessionId, state, actionItems: items }: Pick<SessionRow, 'sessionId' | 'state' | 'actionItems'>
) {
  const listed = state === 'completed' ? (items ?? []) : []
  const ofSession = matches(actionItems, { userId, sessionId })
  const ids = listed.map(({ id }) => id)
  await tx.delete(actionItems).where(ids.length > 0 ? and(ofSession, notInArray(actionItems.itemId, ids)) : ofSession)
  if (listed.length === 0) return
  await tx
    .insert(actionItems)
    .values(listed.map(item => ({ userId, sessionId, ...toRow(item) })))
    .onConflictDoUpdate({
      target: [actionItems.userId, actionItems.sessionId, actionItems.itemId],
      set: {
        completed: sql`excluded.completed`,
        dueOn: sql`excluded.due_on`,
        assigneeKey: sql`excluded.assignee_key`,
        updatedAt: sql`excluded.updated_at`
      },
      // Most items of a list are as they were.
      setWhere: sql`(action_items.completed, action_items.due_on, action_items.assignee_key, action_items.updated_at)
        is distinct from (excluded.completed, excluded.due_on, excluded.assignee_key, excluded.updated_at)`
    })
}

function toRow({ id, completed, due_date, assignee, updated_at }: ActionItem) {
  const dueOn = due_date ?? 'infinity'
  return {
    itemId: id,
    completed,
    dueOn,
    assigneeKey: assignee ? nameKey(assignee) : null,
    updatedAt: new Date(updated_at)
  }
}
