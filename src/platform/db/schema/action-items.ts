import { boolean, date, index, pgTable, primaryKey, text } from '../drizzle.ts'
import { ofSession } from './sessions.ts'
import { instant, sessionKey } from './users.ts'

/** The action items of completed sessions by due date. `sessions.action_items` has their content. */
export const actionItems = pgTable(
  'action_items',
  {
    ...sessionKey(),
    itemId: text().notNull(),
    completed: boolean().notNull(),
    /** `infinity` without a due date, so that one index has both in order. */
    dueOn: date({ mode: 'string' }).notNull(),
    /** `nameKey` of the assignee. */
    assigneeKey: text(),
    updatedAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.itemId] }),
    index('action_items_by_id').on(table.userId, table.itemId),
    index('action_items_listed').on(table.userId, table.completed, table.dueOn, table.itemId, table.sessionId),
    index('action_items_by_assignee').on(table.userId, table.assigneeKey, table.completed, table.dueOn, table.itemId),
    // With the columns of the other filters, so that items that they leave out are passed over in the index.
    index('action_items_changed').on(
      table.userId,
      table.completed,
      table.updatedAt,
      table.itemId,
      table.assigneeKey,
      table.dueOn,
      table.sessionId
    ),
    ofSession('action_items_session_fk', table)
  ]
)
