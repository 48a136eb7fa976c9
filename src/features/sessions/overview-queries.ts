import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { wholeDays } from './stats.ts'

export interface Count {
  sessions: number
  seconds: number
}

/**
 * Counts the listed sessions between each instant and the next. Whole UTC days come from their counts, the ends of each period from the
 * sessions themselves.
 */
export async function countPeriods(db: Queryable, userId: string, instants: readonly string[]) {
  const periods = instants.slice(1).map((until, at) => ({ since: instants[at] ?? until, until }))
  const days = periods.map(({ since, until }) => wholeDays(since, until))
  const list = (values: string[]) => sql`${sql.param(values)}::timestamptz[]`
  return await db.query<Count>(sql`
    select coalesce(sum(counted.sessions), 0)::int as sessions, coalesce(sum(counted.seconds), 0)::float8 as seconds
    from unnest(
      ${list(periods.map(({ since }) => since))}, ${list(days.map(({ first }) => first))},
      ${list(days.map(({ end }) => end))}, ${list(periods.map(({ until }) => until))}
    ) with ordinality as p(since, first_day, end_day, until, number)
    cross join lateral (
      select sum(sessions) as sessions, sum(seconds)::float8 as seconds from session_days
      where user_id = ${userId} and day >= (p.first_day at time zone 'UTC')::date and day < (p.end_day at time zone 'UTC')::date
      union all
      select count(*), sum(duration_seconds) from sessions
      where user_id = ${userId} and state = 'completed' and sort_at >= p.since and sort_at < p.first_day
      union all
      select count(*), sum(duration_seconds) from sessions
      where user_id = ${userId} and state = 'completed' and sort_at >= p.end_day and sort_at < p.until
    ) counted
    group by p.number order by p.number`)
}

/** Returns when the first listed session took place, and the last one. Undefined without any. */
export async function findSpan(db: Queryable, userId: string) {
  const [row] = await db.query<{ first: string | null; last: string | null }>(sql`
    select min(sort_at) as first, max(sort_at) as last from sessions where user_id = ${userId} and state = 'completed'`)
  const { first = null, last = null } = row ?? {}
  return first === null || last === null ? undefined : { first: new Date(first), last: new Date(last) }
}

export interface FolderCount {
  id: string
  name: string
  sessions: number
}

/** Counts the listed sessions of a range by folder, and returns the folders with the most. */
export async function countFolders(
  db: Queryable,
  userId: string,
  { since, until, limit }: { since: string; until: string; limit: number }
) {
  return await db.query<FolderCount>(sql`
    select f.folder_id as id, f.name, counted.sessions from (
      select m.folder_id, count(*)::int as sessions
      from folder_sessions m join sessions s on s.user_id = ${userId} and s.session_id = m.session_id and s.state = 'completed'
      where m.user_id = ${userId} and m.sort_at >= ${since}::timestamptz and m.sort_at < ${until}::timestamptz
      group by m.folder_id
    ) counted join folders f on f.user_id = ${userId} and f.folder_id = counted.folder_id
    order by counted.sessions desc, f.name_key limit ${limit}`)
}

/** The number of sessions that are in no list of completed ones, by state. */
export async function countUnfinished(db: Queryable, userId: string) {
  const [row = { processing: 0, failed: 0 }] = await db.query<{ processing: number; failed: number }>(sql`
    select (select count(*)::int from sessions where user_id = ${userId} and state = 'processing') as processing,
      (select count(*)::int from sessions where user_id = ${userId} and state = 'failed') as failed`)
  return row
}

export const DUES = ['overdue', 'today', 'week', 'later', 'none'] as const
export type Due = (typeof DUES)[number]

type ItemCount = { items: number } & ({ by: 'due'; key: Due } | { by: 'assignee'; key: string | null })

/** Counts the open items by the time when they are due, and those of the assignees with the most. A null key is nobody. */
export async function countOpenItems(
  db: Queryable,
  userId: string,
  { today, nextWeek, assignees }: { today: string; nextWeek: string; assignees: number }
) {
  return await db.query<ItemCount>(sql`
    with counted as (
      select assignee_key, case when due_on < ${today}::date then 'overdue' when due_on = ${today}::date then 'today'
        when due_on < ${nextWeek}::date then 'week' when due_on < 'infinity' then 'later' else 'none' end as due, count(*) as items
      from action_items where user_id = ${userId} and not completed group by 1, 2
    )
    (select 'due' as by, due as key, sum(items)::int as items from counted group by due)
    union all
    (select 'assignee', assignee_key, sum(items)::int from counted group by assignee_key
      order by 3 desc, assignee_key nulls last limit ${assignees})`)
}

/** Returns how an open item spells each assignee. */
export async function findAssigneeNames(db: Queryable, userId: string, keys: readonly string[]) {
  if (keys.length === 0) return new Map<string, string>()
  const rows = await db.query<{ key: string; name: string | null }>(sql`
    select k.key, (
      select item ->> 'assignee' from action_items a
      join sessions s on s.user_id = ${userId} and s.session_id = a.session_id
      cross join jsonb_array_elements(s.action_items) as item
      where a.user_id = ${userId} and a.assignee_key = k.key and not a.completed and item ->> 'id' = a.item_id
      limit 1
    ) as name
    from unnest(${sql.param([...keys])}::text[]) as k(key)`)
  return new Map(rows.flatMap(({ key, name }) => (name === null ? [] : [[key, name] as const])))
}
