import type { ActionItem } from '../contract/action-item.ts'
import type { ListedActionItem } from '../contract/action-item-list.ts'
import { readCursor } from '../core/page.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'

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
}

interface ItemRow {
  itemId: string
  /** `infinity` stands for no due date. */
  dueOn: string
  item: ActionItem
  sessionId: string
  title: string
  timestamp: string | null
  version: number
}

/** Returns the items of completed sessions by due date, those without one last, up to one more than the limit, with their cursors. */
export async function selectActionItems(db: Queryable, userId: string, filter: ItemFilter) {
  const rows = await db.query<ItemRow>(itemStatement(userId, filter))
  return rows.map(({ dueOn, itemId, item, sessionId, title, timestamp, version }) => {
    const listed: ListedActionItem = { ...item, session: { id: sessionId, title, timestamp }, version }
    return { cursor: `${dueOn === 'infinity' ? 'none' : dueOn}_${itemId}`, item: listed }
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
  const rows = await db.query<{ key: string }>(sql`
    select name_key as key from people
    where user_id = ${userId} and (person_id = ${personId} or merged_into = ${personId}) and name_key is not null
    union
    select key from session_people cross join unnest(name_keys) as key
    where user_id = ${userId} and person_id = ${personId} and matched_by = 'name' and not exists (
      select from people other where other.user_id = ${userId} and name_key = key and coalesce(merged_into, other.person_id) <> ${personId})`)
  return rows.map(({ key }) => key)
}

/** The maximum number of sessions of a filter whose items are sorted. Beyond that, items are read in order until the page is full. */
const MAX_SORTED = 300
/** The maximum number of sessions of a folder that are hashed, to test its items. Beyond that, each item is looked up. */
const MAX_HASHED = 5_000

/** The parts that the statements of one request share. */
interface Listing {
  userId: string
  /** Parameters: the statuses, and the keys of the assignees if they are filtered. */
  statuses: SQL
  assignees: SQL | undefined
  due: SQL[]
  order: SQL
}

/**
 * Builds the statement for a combination of filters. Each status and each assignee is one range of an index in order of the due date. The
 * items of a small folder, or of the few sessions that have changed lately, are sorted instead: reading in order would pass over all others.
 */
function itemStatement(userId: string, filter: ItemFilter): SQL {
  const { completed, assignees, folderId, updatedSince } = filter
  const listing: Listing = {
    userId,
    statuses: sql`${sql.param(completed)}::boolean[]`,
    assignees: assignees && sql`${sql.param(assignees)}::text[]`,
    due: dueConditions(filter),
    order: sql`order by due_on, item_id limit ${filter.limit + 1}`
  }
  if (folderId !== undefined) return amongMembers(listing, folderMembers(userId, folderId), updatedConditions(filter))
  if (updatedSince !== undefined)
    return amongMembers(listing, updatedMembers(userId, updatedSince), updatedConditions(filter))
  return pageOf(listing, inOrder(listing, []))
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

function updatedMembers(userId: string, updatedSince: string): Members {
  return {
    select: sql`
      select m.session_id from action_items m where m.user_id = ${userId} and m.updated_at >= ${updatedSince}::timestamptz
      limit ${MAX_SORTED + 1}`,
    isOfMember: []
  }
}

/** Has two branches, of which the number of members chooses one: their items sorted, or all items in order with a test of each. */
function amongMembers(listing: Listing, { select, isOfMember }: Members, conditions: SQL[]) {
  const isFew = sql`(select count from size) <= ${MAX_SORTED}`
  const few = sorted(listing, [isFew, ...conditions])
  const many = inOrder(listing, [sql`not (${isFew})`, ...conditions, ...isOfMember])
  return sql`
    with members as materialized (${select}), size as materialized (select count(*) from members)
    ${pageOf(listing, sql`(${few} ${listing.order}) union all (${many} ${listing.order})`)}`
}

/** The first items of each range of an index: of each status, and of each assignee if they are filtered. */
function inOrder({ userId, statuses, assignees, due, order }: Listing, conditions: SQL[]) {
  const ranges = assignees
    ? sql`unnest(${statuses}) as w(completed) cross join unnest(${assignees}) as n(assignee)`
    : sql`unnest(${statuses}) as w(completed)`
  const isNamed = assignees ? [sql`a.assignee_key = n.assignee`] : []
  return sql`select i.* from ${ranges} cross join lateral (
      select a.due_on, a.item_id, a.session_id from action_items a
      where a.user_id = ${userId} and ${and([sql`a.completed = w.completed`, ...isNamed, ...due, ...conditions])} ${order}) i`
}

/** All items of the members. */
function sorted({ userId, statuses, assignees, due }: Listing, conditions: SQL[]) {
  const isNamed = assignees ? [sql`a.assignee_key = any(${assignees})`] : []
  return sql`select a.due_on, a.item_id, a.session_id from action_items a
      where a.user_id = ${userId} and a.session_id = any(array(select session_id from members))
        and ${and([sql`a.completed = any(${statuses})`, ...isNamed, ...due, ...conditions])}`
}

/** Adds content and session to a page of items. */
function pageOf({ userId, order }: Listing, rows: SQL) {
  return sql`select p.item_id as "itemId", p.due_on::text as "dueOn", p.session_id as "sessionId", s.title, s."timestamp",
        s.action_items_version as version,
        jsonb_path_query_first(s.action_items, '$[*] ? (@.id == $id)', jsonb_build_object('id', p.item_id)) as item
      from (select * from (${rows}) q ${order}) p
      join sessions s on s.user_id = ${userId} and s.session_id = p.session_id and s.state = 'completed'
      order by p.due_on, p.item_id`
}

function updatedConditions({ updatedSince }: ItemFilter) {
  return updatedSince === undefined ? [] : [sql`a.updated_at >= ${updatedSince}::timestamptz`]
}

function dueConditions({ cursor, dueBefore, dueAfter }: ItemFilter) {
  const [dueOn, itemId] = readCursor(cursor ?? '')
  return [
    ...(cursor === undefined
      ? []
      : [sql`(a.due_on, a.item_id) > (${dueOn === 'none' ? 'infinity' : dueOn}::date, ${itemId})`]),
    ...(dueAfter === undefined ? [] : [sql`a.due_on >= ${dueAfter}::date`]),
    ...(dueBefore === undefined && dueAfter === undefined ? [] : [sql`a.due_on < ${dueBefore ?? 'infinity'}::date`])
  ]
}

function and(conditions: SQL[]) {
  return sql.join(conditions, sql` and `)
}
