import { toMicroseconds } from '../../contract/instant.ts'
import type { SessionList, SessionListQuery } from '../../contract/session.ts'
import { invalid } from '../../platform/core/api-error.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { LIST_COLUMNS, type ListRow, toListItem } from './list.ts'

type ChangesQuery = Pick<SessionListQuery, 'limit' | 'cursor' | 'updated_since' | 'include'>

interface ChangedRow extends ListRow {
  changed_id: string
  deleted_at: string | null
  position: number
}

/**
 * A page of `order=updated`: completed sessions by the position of their last change, and tombstones among them if wanted. A copy that begins
 * without a cursor has no session whose tombstone is gone, so its cursors say when it began, until it has reached the end.
 */
export async function listChanged(
  db: Queryable,
  userId: string,
  { limit, cursor, updated_since, include }: ChangesQuery,
  now: Date
): Promise<SessionList> {
  const withDeleted = include === 'deleted'
  const [after, begun] =
    cursor?.split('_') ?? (updated_since === undefined ? [undefined, now.toISOString()] : [updated_since])
  const start = after === undefined ? 0 : toMicroseconds(after)
  const forgotten = withDeleted ? await findForgottenPosition(db, userId) : 0
  if (after !== undefined && forgotten > Math.max(start, begun === undefined ? 0 : toMicroseconds(begun))) {
    const parameter = cursor === undefined ? 'updated_since' : 'cursor'
    throw invalid({
      field: parameter,
      problem: 'it is too old, later deletions are no longer known; sync again without it, into an empty copy'
    })
  }
  const rows = await db.query<ChangedRow>(sql`
    select c.session_id as changed_id, c.position, c.deleted_at, s.created_at, s.updated_at, ${LIST_COLUMNS}
    from session_changes c
    ${withDeleted ? sql`left` : sql``} join sessions s on s.user_id = ${userId} and s.session_id = c.session_id and s.state = 'completed'
    where c.user_id = ${userId} and c.position > ${start}::bigint
      and ${withDeleted ? sql`(c.deleted_at is not null or s.state = 'completed')` : sql`c.deleted_at is null`}
    order by c.position limit ${limit + 1}`)
  const page = rows.slice(0, limit)
  const hasMore = rows.length > limit
  const last = page.at(-1)?.position ?? start
  // A complete copy needs no removed tombstone.
  const next = toInstant(hasMore ? last : Math.max(last, forgotten))
  return {
    sessions: page.map(({ changed_id, position, deleted_at, ...row }) =>
      deleted_at === null ? toListItem(row) : { id: changed_id, deleted_at }
    ),
    next_cursor: hasMore && begun !== undefined ? `${next}_${begun}` : next,
    has_more: hasMore
  }
}

/** Returns the position of the newest tombstone that is gone: a copy from before it would keep a deleted session. */
async function findForgottenPosition(db: Queryable, userId: string) {
  const [row] = await db.query<{ forgotten: number }>(sql`
    select forgotten_position as forgotten from user_counters where user_id = ${userId}`)
  return row?.forgotten ?? 0
}

/** The instant of a position, with its microseconds. */
function toInstant(position: number) {
  const fraction = String(position % 1_000).padStart(3, '0')
  return `${new Date(Math.floor(position / 1_000)).toISOString().slice(0, -1)}${fraction}Z`
}
