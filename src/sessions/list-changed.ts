import { toMicroseconds } from '../contract/instant.ts'
import type { SessionList, SessionListQuery } from '../contract/session.ts'
import { invalid } from '../core/api-error.ts'
import { sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'
import { LIST_COLUMNS, type ListRow, toListItem } from './list.ts'

type Wanted = Pick<SessionListQuery, 'limit' | 'cursor' | 'updated_since' | 'include'>

interface ChangedRow extends ListRow {
  changed_id: string
  deleted_at: string | null
  position: number
}

/** A page of `order=updated`: completed sessions by the position of their last change, and tombstones among them if wanted. */
export async function listChanged(db: Queryable, userId: string, { limit, cursor, updated_since, include }: Wanted): Promise<SessionList> {
  const withDeleted = include === 'deleted'
  const after = cursor ?? updated_since
  const start = after === undefined ? 0 : toMicroseconds(after)
  if (withDeleted && cursor !== undefined) await requireTombstones(db, userId, start)
  const rows = await db.query<ChangedRow>(sql`
    select c.session_id as changed_id, c.position, c.deleted_at, s.created_at, s.updated_at, ${LIST_COLUMNS}
    from session_changes c
    ${withDeleted ? sql`left` : sql``} join sessions s on s.user_id = ${userId} and s.session_id = c.session_id and s.state = 'completed'
    where c.user_id = ${userId} and c.position > ${start}::bigint ${withDeleted ? sql`and (c.deleted_at is not null or s.state = 'completed')` : sql``}
    order by c.position limit ${limit + 1}`)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    sessions: page.map(({ changed_id, position, deleted_at, ...row }) =>
      deleted_at === null ? toListItem(row) : { id: changed_id, deleted_at }
    ),
    next_cursor: toCursor(last?.position ?? start),
    has_more: rows.length > limit
  }
}

/** Throws invalid_request if a tombstone after the position is gone: the copy would keep its session. */
async function requireTombstones(db: Queryable, userId: string, start: number) {
  const [gone] = await db.query(sql`
    select from user_counters where user_id = ${userId} and forgotten_position > ${start}::bigint`)
  if (gone) throw invalid('cursor: it is too old, later deletions are no longer known; sync again without a cursor, into an empty copy')
}

/** The instant of a position, with its microseconds. */
function toCursor(position: number) {
  const fraction = String(position % 1_000).padStart(3, '0')
  return `${new Date(Math.floor(position / 1_000)).toISOString().slice(0, -1)}${fraction}Z`
}
