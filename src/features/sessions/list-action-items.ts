import type { ActionItem } from '../../contract/action-item.ts'
import type { ListedActionItem } from '../../contract/action-item-list.ts'
import { readCursor } from '../../platform/core/page.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { amongConditions, type ItemsAmong } from './items-among.ts'

interface ItemFilter {
  limit: number
  /** The `next_cursor` of the previous page. */
  cursor: string | undefined
  completed: boolean[]
  /** `nameKey` of the assignees; any of them. */
  assignees: string[] | undefined
  /** Exclusive. */
  dueBefore: string | undefined
  /** Inclusive. */
  dueAfter: string | undefined
  folderId: string | undefined
  updatedSince: string | undefined
  among: ItemsAmong
}

interface ItemRow {
  /** The `key` of the order as text. */
  key: string
  itemId: string
  item: ActionItem
  sessionId: string
  title: string
  timestamp: string | null
  version: number
}

/**
 * Returns the items of completed sessions with their cursors, up to one more than the limit: by due date, those without one last, or by their
 * last change if the filter names an instant.
 */
export async function selectActionItems(db: Queryable, userId: string, filter: ItemFilter) {
  const rows = await db.query<ItemRow>(itemStatement(userId, filter))
  return rows.map(({ key, itemId, item, sessionId, title, timestamp, version }) => {
    const listed: ListedActionItem = { ...item, session: { id: sessionId, title, timestamp }, version }
    return { cursor: `${key === 'infinity' ? 'none' : key}_${itemId}`, item: listed }
  })
}

/** Returns the id of the completed session that has the item. */
export async function findSessionOfItem(db: Queryable, userId: string, itemId: string) {
  const [row] = await db.query<{ sessionId: string }>(sql`
    select session_id as "sessionId" from action_items where user_id = ${userId} and item_id = ${itemId}`)
  return row?.sessionId
}

/** Returns the keys of all names of a person: of merged people too, and those they had when a session recognised them by name. */
export async function listNameKeys(db: Queryable, userId: string, personId: string) {
  const different = sql`select name_keys from session_people where user_id = ${userId} and person_id = ${personId} and matched_by = 'name'`
  // Steps from each list of names to the next different one, because a person may have many thousands of sessions with the same. Whose a name is
  // is looked up by a scalar subselect, which the planner cannot turn into a scan of all people.
  const rows = await db.query<{ key: string }>(sql`
    with recursive named as (
      (${different} order by name_keys limit 1)
      union all
      select (${different} and name_keys > named.name_keys order by name_keys limit 1) from named where named.name_keys is not null
    )
    select name_key as key from people where user_id = ${userId} and person_id = ${personId} and name_key is not null
    union
    select name_key from people where user_id = ${userId} and merged_into = ${personId} and name_key is not null
    union
    select key from named cross join unnest(name_keys) as key
    where coalesce((
      select coalesce(merged_into, other.person_id) from people other where other.user_id = ${userId} and name_key = key), ${personId}) = ${personId}`)
  return rows.map(({ key }) => key)
}

/** The maximum number of sessions of a filter whose items are sorted. Beyond that, items are read in order until the page is full. */
const MAX_SORTED = 300
/** The maximum number of sessions of a folder that are hashed, to test its items. Beyond that, each item is looked up. */
const MAX_HASHED = 5_000

/** The key by which items are listed: that of an item `a`, and its text for a cursor. Items with the same key are listed by id. */
interface Order {
  key: SQL
  type: SQL
  text: SQL
}

const BY_DUE_DATE: Order = { key: sql`a.due_on`, type: sql`date`, text: sql`p.key::text` }
const BY_CHANGE: Order = { key: sql`a.updated_at`, type: sql`timestamptz`, text: sql`p.key` }

/** The parts that the statements of one request share. */
interface ListParts {
  userId: string
  /** Parameters: the statuses, and the keys of the assignees if they are filtered. */
  statuses: SQL
  assignees: SQL | undefined
  order: Order
  /** The conditions on an item `a`: where the page begins, due dates, and the time of the change. */
  conditions: SQL[]
  limit: SQL
}

/**
 * Builds the statement for a combination of filters. It reads each status in the order of an index, and each assignee if items are listed by
 * due date. The items of a small folder, of an assignee with few, or of a few due dates are sorted instead: reading in order would pass over all
 * others.
 */
function itemStatement(userId: string, filter: ItemFilter): SQL {
  const { completed, assignees, folderId, updatedSince } = filter
  const isDue = dueConditions(filter, sql`m`)
  const order = updatedSince === undefined ? BY_DUE_DATE : BY_CHANGE
  const parts: ListParts = {
    userId,
    statuses: sql`${sql.param(completed)}::boolean[]`,
    assignees: assignees && sql`${sql.param(assignees)}::text[]`,
    order,
    conditions: [...conditionsOf(filter, order), ...amongConditions(userId, filter.among)],
    limit: sql`limit ${filter.limit + 1}`
  }
  if (folderId !== undefined) return amongMembers(parts, folderMembers(userId, folderId))
  if (updatedSince !== undefined && parts.assignees)
    return amongMembers(parts, itemMembers(userId, [sql`m.assignee_key = any(${parts.assignees})`]))
  if (updatedSince !== undefined && isDue.length > 0)
    return amongMembers(parts, itemMembers(userId, [sql`m.completed = any(${parts.statuses})`, ...isDue]))
  return pageOf(parts, inOrder(parts, []))
}

/** The sessions of a filter. */
interface Members {
  select: SQL
  /** The further conditions on an item `a`, for more members than are sorted. */
  isOfMember: SQL[]
}

/** A scalar subselect is looked up for each row; the planner would turn an exists into a scan of the whole folder. */
function folderMembers(userId: string, folderId: string): Members {
  return {
    select: sql`
      select m.session_id from folder_sessions m where m.user_id = ${userId} and m.folder_id = ${folderId}
      limit ${MAX_HASHED + 1}`,
    isOfMember: [
      sql`case when (select count from size) <= ${MAX_HASHED} then a.session_id in (select session_id from members) else (
        select true from folder_sessions f
        where f.user_id = ${userId} and f.session_id = a.session_id and f.folder_id = ${folderId}) end`
    ]
  }
}

/** The sessions of items `m`, which an index has by the conditions. */
function itemMembers(userId: string, conditions: SQL[]): Members {
  return {
    select: sql`
      select m.session_id from action_items m where ${and([sql`m.user_id = ${userId}`, ...conditions])} limit ${MAX_SORTED + 1}`,
    isOfMember: []
  }
}

/** Has two branches, of which the number of members chooses one: their items sorted, or all items in order with a test of each. */
function amongMembers(parts: ListParts, { select, isOfMember }: Members) {
  const isFew = sql`(select count from size) <= ${MAX_SORTED}`
  const few = sorted(parts, [isFew])
  const many = inOrder(parts, [sql`not (${isFew})`, ...isOfMember])
  const first = sql`order by key, item_id ${parts.limit}`
  return sql`
    with members as materialized (${select}), size as materialized (select count(*) from members)
    ${pageOf(parts, sql`(${few} ${first}) union all (${many} ${first})`)}`
}

/** The first items of each range of an index: of each status, and of each assignee where the index has them. */
function inOrder({ userId, statuses, assignees, order, conditions, limit }: ListParts, more: SQL[]) {
  const ranged = order === BY_DUE_DATE ? assignees : undefined
  const ranges = ranged
    ? sql`unnest(${statuses}) as w(completed) cross join unnest(${ranged}) as n(assignee)`
    : sql`unnest(${statuses}) as w(completed)`
  const isNamed = ranged ? [sql`a.assignee_key = n.assignee`] : namedConditions(assignees)
  return sql`select i.* from ${ranges} cross join lateral (
      select ${order.key} as key, a.item_id, a.session_id from action_items a
      where a.user_id = ${userId} and ${and([sql`a.completed = w.completed`, ...isNamed, ...conditions, ...more])}
      order by ${order.key}, a.item_id ${limit}) i`
}

/** All items of the members. */
function sorted({ userId, statuses, assignees, order, conditions }: ListParts, more: SQL[]) {
  return sql`select ${order.key} as key, a.item_id, a.session_id from action_items a
      where a.user_id = ${userId} and a.session_id = any(array(select session_id from members))
        and ${and([sql`a.completed = any(${statuses})`, ...namedConditions(assignees), ...conditions, ...more])}`
}

/** Adds content and session to a page of items. */
function pageOf({ userId, order, limit }: ListParts, rows: SQL) {
  return sql`select ${order.text} as key, p.item_id as "itemId", p.session_id as "sessionId", s.title, s."timestamp",
        s.action_items_version as version,
        jsonb_path_query_first(s.action_items, '$[*] ? (@.id == $id)', jsonb_build_object('id', p.item_id)) as item
      from (select * from (${rows}) q order by key, item_id ${limit}) p
      join sessions s on s.user_id = ${userId} and s.session_id = p.session_id and s.state = 'completed'
      order by p.key, p.item_id`
}

function namedConditions(assignees: SQL | undefined) {
  return assignees ? [sql`a.assignee_key = any(${assignees})`] : []
}

function conditionsOf(filter: ItemFilter, { key, type }: Order) {
  const { cursor, updatedSince } = filter
  const [after, itemId] = readCursor(cursor ?? '')
  return [
    ...(cursor === undefined
      ? []
      : [sql`(${key}, a.item_id) > (${after === 'none' ? 'infinity' : after}::${type}, ${itemId})`]),
    ...(updatedSince === undefined ? [] : [sql`a.updated_at >= ${updatedSince}::timestamptz`]),
    ...dueConditions(filter, sql`a`)
  ]
}

/** An item without a due date has the last one. */
function dueConditions({ dueBefore, dueAfter }: ItemFilter, alias: SQL) {
  return [
    ...(dueAfter === undefined ? [] : [sql`${alias}.due_on >= ${dueAfter}::date`]),
    ...(dueBefore === undefined && dueAfter === undefined
      ? []
      : [sql`${alias}.due_on < ${dueBefore ?? 'infinity'}::date`])
  ]
}

function and(conditions: SQL[]) {
  return sql.join(conditions, sql` and `)
}
