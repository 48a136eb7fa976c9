import type { ActionItemChange, ListedActionItem } from '../contract/action-item-list.ts'
import type { Database } from '../db/open.ts'
import { changeSession } from './change.ts'
import { findSessionOfItem } from './list-action-items.ts'

/** Changes one action item as a PATCH of its session would. Returns undefined without the item in a completed session. */
export async function changeActionItem(
  db: Database,
  userId: string,
  itemId: string,
  change: ActionItemChange,
  options: { version: number | undefined; now: Date }
): Promise<ListedActionItem | undefined> {
  const sessionId = await findSessionOfItem(db, userId, itemId)
  // No session has an empty id. A change of an unknown item is read all the same, so that a bad one is refused first.
  const written = await changeSession(db, userId, sessionId ?? '', { item: { id: itemId, change } }, options)
  const item = written?.session.actionItems?.find(({ id }) => id === itemId)
  if (!written || !item) return undefined
  const { session } = written
  const timestamp = session.timestamp?.toISOString() ?? null
  return {
    ...item,
    session: { id: session.sessionId, title: session.title, timestamp },
    version: session.actionItemsVersion
  }
}
