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
export async function listActionItems(db: Queryable, userId: string, filter: ItemFilter) {
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

/**
 * Builds the statement for a combination of filters. Each status and each assignee is one range of an index in order of the due date. The
 * items of a small folder, or of the few sessions that have changed lately, are sorted instead: reading in order would pass over all others.
 */
function itemStatement(userId: string, filter: ItemFilter): SQL {
  const { completed, assignees, folderId, updatedSince } = filter
  const order = sql`order by due_on, item_id limit ${filter.limit + 1}`
  const statuses = sql`${sql.param(completed)}::boolean[]`
  const names = sql`${sql.param(assignees ?? [])}::text[]`
  const due = dueConditions(filter)
  const updated = updatedSince === undefined ? [] : [sql`a.updated_at >= ${updatedSince}::timestamptz`]
  // A scalar subselect is looked up for each row; the planner would turn an exists into a scan of the whole folder.
  const inFolder = sql`case when (select count from size) <= ${MAX_HASHED} then a.session_id in (select session_id from members) else (
    select true from folder_sessions f where f.user_id = ${userId} and f.session_id = a.session_id and f.folder_id = ${folderId}) end`
  const members =
    folderId !== undefined
      ? sql`select m.session_id from folder_sessions m where m.user_id = ${userId} and m.folder_id = ${folderId} limit ${MAX_HASHED + 1}`
      : sql`select m.session_id from action_items m where m.user_id = ${userId} and m.updated_at >= ${updatedSince}::timestamptz
          limit ${MAX_SORTED + 1}`
  if (folderId === undefined && updatedSince === undefined) return page(inOrder([]))
  const isFew = sql`(select count from size) <= ${MAX_SORTED}`
  const rest = folderId === undefined ? updated : [...updated, inFolder]
  return sql`
    with members as materialized (${members}), size as materialized (select count(*) from members)
    ${page(sql`(${sorted([isFew, ...updated])} ${order}) union all (${inOrder([sql`not (${isFew})`, ...rest])} ${order})`)}`

  function inOrder(more: SQL[]) {
    const ranges = assignees
      ? sql`unnest(${statuses}) as w(completed) cross join unnest(${names}) as n(assignee)`
      : sql`unnest(${statuses}) as w(completed)`
    const named = assignees ? [sql`a.assignee_key = n.assignee`] : []
    return sql`select i.* from ${ranges} cross join lateral (
      select a.due_on, a.item_id, a.session_id from action_items a
      where a.user_id = ${userId} and ${and([sql`a.completed = w.completed`, ...named, ...due, ...more])} ${order}) i`
  }

  function sorted(more: SQL[]) {
    const named = assignees ? [sql`a.assignee_key = any(${names})`] : []
    return sql`select a.due_on, a.item_id, a.session_id from action_items a
      where a.user_id = ${userId} and a.session_id = any(array(select session_id from members))
        and ${and([sql`a.completed = any(${statuses})`, ...named, ...due, ...more])}`
  }

  function page(rows: SQL) {
    return sql`select p.item_id as "itemId", p.due_on::text as "dueOn", p.session_id as "sessionId", s.title, s."timestamp",
        s.action_items_version as version,
        jsonb_path_query_first(s.action_items, '$[*] ? (@.id == $id)', jsonb_build_object('id', p.item_id)) as item
      from (select * from (${rows}) q ${order}) p
      join sessions s on s.user_id = ${userId} and s.session_id = p.session_id and s.state = 'completed'
      order by p.due_on, p.item_id`
  }
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
