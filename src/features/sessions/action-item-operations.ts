import type { ActionItem, ActionItemsResponse } from '../../contract/action-item.ts'
import type {
  ActionItemChange,
  ActionItemList,
  ActionItemListQuery,
  ListedActionItem
} from '../../contract/action-item-list.ts'
import type { Precondition } from '../../contract/if-match.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { cutPage } from '../../platform/core/page.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { operation } from '../access/operation.ts'
import type { ItemToAdd } from '../library/action-items.ts'
import { requireFolderId } from '../library/list.ts'
import { requirePerson } from '../library/person-row.ts'
import { findActionItems as findItemsOf } from '../library/queries.ts'
import type { SessionRow } from '../library/session-row.ts'
import type { Services } from '../services.ts'
import { changeSession } from './change.ts'
import type { ItemsAmong } from './items-among.ts'
import { findSessionOfItem, listNameKeys, selectActionItems } from './list-action-items.ts'

/** Returns the action items of one session with their version. */
export const getActionItems = operation(
  'getActionItems',
  async ({ db }: Pick<Services, 'db'>, actor, sessionId: string): Promise<ActionItemsResponse> => {
    return (await findItemsOf(db, actor.userId, sessionId)) ?? throwNotFound('Session')
  }
)

const COMPLETED = { open: [false], done: [true], all: [false, true] }

/** Lists the action items of all completed sessions: the earliest due date first, or the earliest change since an instant. */
export const listActionItems = operation(
  'listActionItems',
  async ({ db }: Pick<Services, 'db'>, actor, query: ActionItemListQuery): Promise<ActionItemList> => {
    return await listAmong(db, actor.userId, query)
  }
)

/** The same among the items with some words, or of some conversations. */
export const findActionItems = operation(
  'listActionItems',
  async (
    { db }: Pick<Services, 'db'>,
    actor,
    query: ActionItemListQuery,
    among: ItemsAmong
  ): Promise<ActionItemList> => {
    return await listAmong(db, actor.userId, query, among)
  }
)

/** Changes one action item, as a change of its session would. With a `precondition`, throws conflict unless the list has a version of it. */
export const updateActionItem = operation(
  'updateActionItem',
  async (
    { db, clock }: Pick<Services, 'db' | 'clock'>,
    actor,
    itemId: string,
    change: ActionItemChange,
    { precondition }: { precondition?: Precondition | undefined } = {}
  ): Promise<ListedActionItem> => {
    const sessionId = await findSessionOfItem(db, actor.userId, itemId)
    const options = { precondition, now: clock.now() }
    // No session has an empty id. A change of an unknown item is read all the same, so that a bad one is refused first.
    const changed = await changeSession(db, actor.userId, sessionId ?? '', { item: { id: itemId, change } }, options)
    const item = changed?.session.actionItems?.find(({ id }) => id === itemId)
    if (!changed || !item) throwNotFound('Action item')
    return toListed(changed.session, item)
  }
)

/** Adds an action item to a session. If an open one has the text already, that is returned, so a repetition adds nothing. */
export const addActionItem = operation(
  'updateSession',
  async (
    { db, clock }: Pick<Services, 'db' | 'clock'>,
    actor,
    sessionId: string,
    added: ItemToAdd
  ): Promise<ListedActionItem> => {
    const changed = await changeSession(db, actor.userId, sessionId, { added }, { now: clock.now() })
    const item = changed?.session.actionItems?.findLast(({ text, completed }) => text === added.text && !completed)
    if (!changed || !item) throwNotFound('Session')
    return toListed(changed.session, item)
  }
)

/** Deletes an action item. */
export const deleteActionItem = operation(
  'updateActionItem',
  async ({ db, clock }: Pick<Services, 'db' | 'clock'>, actor, itemId: string): Promise<void> => {
    const sessionId = (await findSessionOfItem(db, actor.userId, itemId)) ?? throwNotFound('Action item')
    const changed = await changeSession(db, actor.userId, sessionId, { removed: itemId }, { now: clock.now() })
    if (!changed) throwNotFound('Action item')
  }
)

function toListed({ sessionId: id, title, timestamp, actionItemsVersion: version }: SessionRow, item: ActionItem) {
  return { ...item, session: { id, title, timestamp: timestamp?.toISOString() ?? null }, version }
}

async function listAmong(
  db: Queryable,
  userId: string,
  query: ActionItemListQuery,
  among: ItemsAmong = {}
): Promise<ActionItemList> {
  const { limit, cursor, status, assignee, person, due_before: dueBefore, due_after: dueAfter, folder } = query
  const folderId = folder === undefined ? undefined : await requireFolderId(db, userId, folder)
  const personId = person === undefined ? undefined : (await requirePerson(db, userId, person, 'person')).id
  const names = personId === undefined ? undefined : await listNameKeys(db, userId, personId)
  const named = assignee === undefined ? undefined : nameKey(assignee)
  const assignees = named === undefined ? names : (names ?? [named]).filter(name => name === named)
  const rows = await selectActionItems(db, userId, {
    limit,
    cursor,
    completed: COMPLETED[status],
    assignees,
    dueBefore,
    dueAfter,
    folderId,
    updatedSince: query.updated_since,
    among
  })
  const { page, next } = cutPage(rows, limit, row => row.cursor)
  return { action_items: page.map(({ item }) => item), ...next }
}
