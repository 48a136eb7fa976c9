import type { AdminSessionListItem } from '../contract/admin/session.ts'
import type { PhoneMetadata, SessionListItem, SessionListRequest } from '../contract/session.ts'
import { throwNotFound } from '../core/api-error.ts'
import { toFailureReason } from '../core/failure-reason.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'
import { folderKey } from '../text/fold.ts'

interface ListFilter {
  limit: number
  /** Exclusive. */
  before: string | undefined
  /** Inclusive. */
  since: string | undefined
  type: string | undefined
  folderId?: string | undefined
  personId?: string | undefined
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

const STATUS_COLUMNS = sql`${LIST_COLUMNS}, s.state as status, s.failure as failure_reason`

/** A session in the trash shows its status before. */
const OPERATOR_COLUMNS = sql`${LIST_COLUMNS}, coalesce(s.state_before_deletion, s.state) as status, s.failure as failure_reason, s.state,
  s.failure, s.external_id, s.deleted_at`

/** Inlined: Postgres can't match a partial index against a parameter. */
const HAS_STATUS = {
  completed: sql`s.state = 'completed'`,
  processing: sql`s.state = 'processing'`,
  failed: sql`s.state = 'failed'`,
  deleted: sql`s.state = 'deleted'`,
  all: sql`s.state <> 'deleted'`,
  any: sql`true`
}

/** Members are counted up to this number, to see which of two filters has fewer. */
const MAX_MEMBERS_COUNTED = 500

/** The parts that the statements of one request share. */
interface Listing {
  userId: string
  columns: SQL
  isShown: SQL
  limit: SQL
  /** The condition that a row of the table is in the range of the list, and has the type. */
  inRange: (alias: SQL) => SQL
}

/** A filter by membership in a table `m`, whose rows are in list order for each condition. */
interface Membership {
  name: 'folder' | 'person' | 'tag'
  /** Pages through the sessions that meet the conditions. */
  page: (conditions: SQL[]) => SQL
  /** True if the session `s` is a member. One lookup. */
  has: SQL
  /** The same for a row `m` of another membership, by its position, in which both are in order. */
  meets: SQL
  /** The number of members, up to the limit. */
  count: SQL
}

/**
 * Builds the statement for a combination of filters. It scans one index in list order until the page is full: that of the sessions, or of the
 * members of a folder, person or tag. With several filters, it scans the one with the fewest members and looks the others up.
 */
function listStatement(userId: string, filter: ListFilter): SQL {
  const { before = 'infinity', since = '-infinity', type, folderId, personId, tags, status } = filter
  const hasType = (alias: SQL) => (type === undefined ? sql`` : sql` and ${alias}.type = ${type}`)
  const listing: Listing = {
    userId,
    columns: filter.whole ? OPERATOR_COLUMNS : status ? STATUS_COLUMNS : LIST_COLUMNS,
    isShown: HAS_STATUS[status ?? 'completed'],
    limit: sql`limit ${filter.limit + 1}`,
    inRange: alias =>
      sql`${alias}.sort_at < ${before}::timestamptz and ${alias}.sort_at >= ${since}::timestamptz${hasType(alias)}`
  }
  const memberships = [
    ...(folderId === undefined ? [] : [inFolder(listing, folderId)]),
    ...(personId === undefined ? [] : [withPerson(listing, personId)]),
    ...(tags ? [tags.mode === 'any' ? withAnyTag(listing, tags.names) : withAllTags(listing, tags.names)] : [])
  ]
  const [first, ...others] = memberships
  if (!first) return allSessions(listing)
  return others.length === 0 ? first.page([]) : intersection(listing, [first, ...others])
}

function allSessions({ userId, columns, isShown, limit, inRange }: Listing) {
  return sql`
    select ${columns}, s.sort_at from sessions s
    where s.user_id = ${userId} and ${inRange(sql`s`)} and ${isShown}
    order by s.sort_at desc ${limit}`
}

/**
 * Has a branch for each membership, and one that merges them all in list order. The members are counted first, and only one branch runs: that of
 * the membership with few, whose sessions are looked up in the others, or else the last one, which reads each index at most once.
 */
function intersection(listing: Listing, [first, ...others]: [Membership, ...Membership[]]) {
  const memberships = [first, ...others]
  const counts = memberships.map(({ name, count }) => sql`(${sql.raw(`'${name}'`)}, ${count})`)
  const branches = memberships.map(({ name, page }) => {
    const lookups = memberships.filter(other => other.name !== name).map(({ has }) => has)
    const isFewest = sql`(select name from fewest where members < ${MAX_MEMBERS_COUNTED}) = ${sql.raw(`'${name}'`)}`
    return sql`select * from (${page([...lookups, isFewest])}) ${sql.raw(`by_${name}`)}`
  })
  const areMany = sql`(select members from fewest) >= ${MAX_MEMBERS_COUNTED}`
  const merged = sql`select * from (${first.page([...others.map(({ meets }) => meets), areMany])}) merged`
  return sql`
    with fewest as (select name, members from (values ${sql.join(counts, sql`, `)}) as c(name, members) order by members limit 1)
    ${sql.join([...branches, merged], sql` union all `)}
    order by sort_at desc ${listing.limit}`
}

function inFolder(listing: Listing, folderId: string): Membership {
  return member(listing, 'folder', sql`folder_sessions`, alias => sql`${alias}.folder_id = ${folderId}`)
}

function withPerson(listing: Listing, personId: string): Membership {
  return member(listing, 'person', sql`session_people`, alias => sql`${alias}.person_id = ${personId}`)
}

function member(listing: Listing, name: 'folder' | 'person', table: SQL, isMember: (alias: SQL) => SQL): Membership {
  const { userId } = listing
  return {
    name,
    page: conditions => pageOf(listing, table, [isMember(sql`m`), ...conditions]),
    has: sql`exists (
      select from ${table} h where h.user_id = ${userId} and h.session_id = s.session_id and ${isMember(sql`h`)})`,
    meets: meetsAt(userId, table, isMember(sql`h`)),
    count: countFew(userId, table, isMember(sql`c`))
  }
}

/** Pages through each tag. A session with several of the tags is listed once. */
function withAnyTag(listing: Listing, names: string[]): Membership {
  const tags = sql`${sql.param(names)}::text[]`
  const count = countFew(listing.userId, sql`session_tags`, sql`c.tag = t.tag`)
  return {
    name: 'tag',
    page: conditions => sql`
      select distinct on (sort_at) page.* from unnest(${tags}) as t(tag)
      cross join lateral (${pageOf(listing, sql`session_tags`, [sql`m.tag = t.tag`, ...conditions])}) page
      order by sort_at desc ${listing.limit}`,
    has: sql`s.tags && ${tags}`,
    meets: meetsAt(listing.userId, sql`session_tags`, sql`h.tag = any(${tags})`),
    count: sql`(select sum(${count}) from unnest(${tags}) as t(tag))`
  }
}

/** Pages through the rarest tag, and looks the others up in the session. */
function withAllTags(listing: Listing, names: string[]): Membership {
  const tags = sql`${sql.param(names)}::text[]`
  const count = countFew(listing.userId, sql`session_tags`, sql`c.tag = t.tag`)
  const meets = names.map(name => meetsAt(listing.userId, sql`session_tags`, sql`h.tag = ${name}`))
  return {
    name: 'tag',
    page: conditions => sql`
      select page.* from (select t.tag from unnest(${tags}) as t(tag) order by ${count} limit 1) rarest
      cross join lateral (${pageOf(listing, sql`session_tags`, [sql`m.tag = rarest.tag`, ...meets, ...conditions])}) page
      order by sort_at desc`,
    has: sql`s.tags @> ${tags}`,
    meets: sql.join(meets, sql` and `),
    count: sql`(select min(${count}) from unnest(${tags}) as t(tag))`
  }
}

/** A session has its position to itself, so a member `h` at that of `m` is the same session. */
function meetsAt(userId: string, table: SQL, isMember: SQL) {
  return sql`exists (select from ${table} h where h.user_id = ${userId} and ${isMember} and h.sort_at = m.sort_at)`
}

/** A page of the sessions in a table `m` of memberships, in list order. */
function pageOf({ userId, columns, isShown, limit, inRange }: Listing, table: SQL, conditions: SQL[]) {
  return sql`
      select ${columns}, s.sort_at from ${table} m
      join sessions s on s.user_id = ${userId} and s.session_id = m.session_id
      where m.user_id = ${userId} and ${sql.join([inRange(sql`m`), isShown, ...conditions], sql` and `)}
      order by m.sort_at desc ${limit}`
}

/** Counts the members `c`. In order, so that the index is read and never the table. */
function countFew(userId: string, table: SQL, isMember: SQL) {
  return sql`(select count(*) from (
      select from ${table} c where c.user_id = ${userId} and ${isMember} order by c.sort_at limit ${MAX_MEMBERS_COUNTED}) few)`
}
