import type { AdminSessionListItem } from '../../contract/admin/session.ts'
import type { PhoneMetadata, SessionListItem, SessionListRequest } from '../../contract/session.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { folderKey } from '../../platform/text/fold.ts'
import { toFailureReason } from './failure-reason.ts'
import {
  and,
  areFavorites,
  inFolder,
  inState,
  intersection,
  type ListParts,
  withAllTags,
  withAnyTag,
  withPerson
} from './memberships.ts'
import type { Titled } from './titled.ts'

interface ListFilter {
  limit: number
  /** Exclusive. */
  before: string | undefined
  /** Inclusive. */
  since: string | undefined
  /** Exclusive. */
  until?: string | undefined
  type: string | undefined
  titled?: Titled | undefined
  folderId?: string | undefined
  personId?: string | undefined
  /** True to list favorites only. */
  isFavorite?: boolean
  tags?: { mode: 'any' | 'all'; names: string[] } | undefined
  /** Rows show their status only with it. Default: completed sessions. */
  status?: SessionListRequest['status'] | 'any'
  /** True if rows have the fields of an operator too. It needs a status. */
  whole?: boolean
}

/** A row as the driver reads it: `phone` is null for a session that is not a call. */
export type ListRow = Omit<SessionListItem, 'phone'> & { phone: PhoneMetadata | null }

/** Returns the newest sessions with their cursors, up to one more than the limit: the extra row says that there are more. */
export async function selectSessions(db: Queryable, userId: string, filter: ListFilter) {
  const rows = await db.query<ListRow & { sort_at: string; failure_reason?: string | null }>(
    listStatement(userId, filter)
  )
  return rows.map(({ sort_at: cursor, ...row }) => {
    const item: AdminSessionListItem = toListItem(row)
    return {
      cursor,
      item: filter.status ? { ...item, failure_reason: toFailureReason(row.failure_reason ?? null) } : item
    }
  })
}

export function toListItem<Row extends ListRow>({ phone, ...row }: Row) {
  return phone ? { ...row, phone } : row
}

/** Returns the id of the folder with this id, or else with this name in any case. Throws not_found. */
export async function requireFolderId(db: Queryable, userId: string, idOrName: string) {
  const [folder] = await db.query<{ id: string }>(sql`
    select folder_id as id from folders where user_id = ${userId} and (folder_id = ${idOrName} or name_key = ${folderKey(idOrName.trim())})
    order by folder_id = ${idOrName} desc limit 1`)
  return folder?.id ?? throwNotFound('Folder', { field: 'folder' })
}

/** The columns of a session `s` in a list, with the names of the contract. */
export const LIST_COLUMNS = sql`s.session_id as id, s.title, s."timestamp", s.duration_seconds, s.type, s.platform, s.audio_deleted_at, s.phone`

/** The failure of a session `s` in words for its owner, where it has some. */
export const FAILURE_REASON = sql`coalesce(s.shown_failure, s.failure)`

const STATUS_COLUMNS = sql`${LIST_COLUMNS}, s.state as status, ${FAILURE_REASON} as failure_reason`

/** A session in the trash shows its status before. */
const OPERATOR_COLUMNS = sql`${LIST_COLUMNS}, coalesce(s.state_before_deletion, s.state) as status,
  ${FAILURE_REASON} as failure_reason, s.state,
  s.failure, s.external_id, s.deleted_at`

/** Inlined: Postgres can't match a partial index against a parameter. */
const IN_STATE = {
  completed: sql`s.state = 'completed'`,
  processing: sql`s.state = 'processing'`,
  failed: sql`s.state = 'failed'`,
  deleted: sql`s.state = 'deleted'`
}

const HAS_STATUS = { ...IN_STATE, all: sql`s.state <> 'deleted'`, any: sql`true` }

/** The states of a status that has several. */
const STATES = {
  all: [IN_STATE.completed, IN_STATE.processing, IN_STATE.failed],
  any: Object.values(IN_STATE)
}

/**
 * Builds the statement for a combination of filters. It scans one index in list order until the page is full: that of the sessions, or of the
 * members of a folder, person or tag, or the favorites. With several filters, it scans the one with the fewest members and looks the others up.
 */
function listStatement(userId: string, filter: ListFilter): SQL {
  const { before, since, until, type, folderId, personId, isFavorite, tags, titled, status = 'completed' } = filter
  const withTitle = (isShown: SQL) => (titled?.has ? and([isShown, titled.has]) : isShown)
  const parts: ListParts = {
    userId,
    columns: filter.whole ? OPERATOR_COLUMNS : filter.status ? STATUS_COLUMNS : LIST_COLUMNS,
    isShown: withTitle(HAS_STATUS[status]),
    limit: sql`limit ${filter.limit + 1}`,
    // An absent bound is left out: a generic plan would expect a range with two bounds to hold very few sessions.
    inRange: alias => [
      ...(before === undefined ? [] : [sql`${alias}.sort_at < ${before}::timestamptz`]),
      ...(since === undefined ? [] : [sql`${alias}.sort_at >= ${since}::timestamptz`]),
      ...(until === undefined ? [] : [sql`${alias}.sort_at < ${until}::timestamptz`]),
      ...(type === undefined ? [] : [sql`${alias}.type = ${type}`])
    ]
  }
  const page = ({ conditions }: { conditions?: SQL[] }) => allSessions(parts, conditions)
  const memberships = [
    ...(folderId === undefined ? [] : [inFolder(parts, folderId)]),
    ...(personId === undefined ? [] : [withPerson(parts, personId)]),
    ...(tags ? [tags.mode === 'any' ? withAnyTag(parts, tags.names) : withAllTags(parts, tags.names)] : []),
    ...(isFavorite ? [areFavorites(parts, page)] : []),
    ...(status === 'failed' || status === 'deleted' ? [inState(parts, status, page)] : [])
  ]
  if (titled?.sessionIds) {
    const lookups = memberships.map(({ has }) => has)
    return ofSessions(parts, titled.sessionIds, lookups)
  }
  const [first, ...others] = memberships
  if (first) return others.length === 0 ? first.page({}) : intersection(parts, memberships)
  const severalStates = status === 'all' || status === 'any'
  return severalStates && type !== undefined ? ofStates(parts, STATES[status].map(withTitle)) : allSessions(parts)
}

/** A page of all sessions that meet the conditions. */
function allSessions({ userId, columns, isShown, limit, inRange }: ListParts, conditions: SQL[] = []) {
  return sql`
    select ${columns}, s.sort_at from sessions s
    where ${and([sql`s.user_id = ${userId}`, ...inRange(sql`s`), isShown, ...conditions])}
    order by s.sort_at desc ${limit}`
}

/** A page of these few sessions. `offset 0` makes the planner look them up one by one. */
function ofSessions({ userId, columns, isShown, limit, inRange }: ListParts, sessionIds: string[], conditions: SQL[]) {
  return sql`
    select ${columns}, s.sort_at from unnest(${sql.param(sessionIds)}::text[]) as t(session_id)
    cross join lateral (select * from sessions s where s.user_id = ${userId} and s.session_id = t.session_id offset 0) s
    where ${and([...inRange(sql`s`), isShown, ...conditions])}
    order by s.sort_at desc ${limit}`
}

/** A page of each state, merged: the index by type has one state only, so that all sessions would be read for a type that few have. */
function ofStates(parts: ListParts, states: SQL[]) {
  const pages = states.map(isShown => sql`(${allSessions({ ...parts, isShown })})`)
  return sql`${sql.join(pages, sql` union all `)} order by sort_at desc ${parts.limit}`
}
