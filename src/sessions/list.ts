import type { PhoneMetadata, SessionListItem, SessionListQuery } from '../contract/session.ts'
import { throwNotFound } from '../core/api-error.ts'
import { toFailureReason } from '../core/failure-reason.ts'
import { folderKey } from '../core/fold.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'

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
  status?: SessionListQuery['status']
}

/** A row as the driver reads it: `phone` is null for a session that is not a call. */
export type ListRow = Omit<SessionListItem, 'phone'> & { phone: PhoneMetadata | null }

/** Returns the newest sessions with their cursors, up to one more than the limit: the extra row says that there are more. */
export async function listSessions(db: Queryable, userId: string, filter: ListFilter) {
  const rows = await db.query<ListRow & { sort_at: string; failure_reason?: string | null }>(
    listStatement(userId, filter)
  )
  return rows.map(({ sort_at: cursor, ...row }) => {
    const item = toListItem(row)
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

/** Written out, because a partial index is not used for a parameter. */
const HAS_STATUS = {
  completed: sql`s.state = 'completed'`,
  processing: sql`s.state = 'processing'`,
  failed: sql`s.state = 'failed'`,
  all: sql`s.state <> 'deleted'`
}

/** Members are counted up to this number, to see which of two filters has fewer. */
const MAX_MEMBERS_COUNTED = 500

/** A filter by membership: the SQL that pages through its members, tests one, and counts them. */
interface Membership {
  name: 'folder' | 'person' | 'tag'
  page: (conditions: SQL[]) => SQL
  has: SQL
  count: SQL
}

/**
 * Builds the statement for a combination of filters.
 * The statement scans one index in list order until the page is full: that of the sessions, or of the members of a folder, person or tag.
 * With several filters, the one with the fewest members is scanned and the others are looked up per row.
 */
function listStatement(userId: string, filter: ListFilter): SQL {
  const { before = 'infinity', since = '-infinity', type, folderId, personId, tags, status } = filter
  const columns = status ? STATUS_COLUMNS : LIST_COLUMNS
  const isShown = HAS_STATUS[status ?? 'completed']
  const limit = sql`limit ${filter.limit + 1}`
  const memberships = [
    ...(folderId === undefined ? [] : [member('folder', sql`folder_sessions`, sql`folder_id = ${folderId}`)]),
    ...(personId === undefined ? [] : [member('person', sql`session_people`, sql`person_id = ${personId}`)]),
    ...(tags ? [tagged(tags)] : [])
  ]
  const [only, ...others] = memberships
  if (!only)
    return sql`
    select ${columns}, s.sort_at from sessions s
    where s.user_id = ${userId} and ${range(sql`s`)} and ${isShown}
    order by s.sort_at desc ${limit}`
  if (others.length === 0) return only.page([])
  const counted = memberships.map(({ name, count }) => sql`(${sql.raw(`'${name}'`)}, ${count})`)
  const pages = memberships.map(({ name, page }) => {
    const lookups = memberships.filter(other => other.name !== name).map(({ has }) => has)
    const named = sql.raw(`'${name}'`)
    return sql`select * from (${page([...lookups, sql`(select name from fewest) = ${named}`])}) ${sql.raw(`by_${name}`)}`
  })
  return sql`
    with fewest as (select name from (values ${sql.join(counted, sql`, `)}) as c(name, members) order by members limit 1)
    ${sql.join(pages, sql` union all `)}
    order by sort_at desc ${limit}`

  function member(name: 'folder' | 'person', table: SQL, condition: SQL): Membership {
    return {
      name,
      page: conditions => members(table, sql`m.${condition}`, conditions),
      has: sql`exists (select from ${table} h where h.user_id = ${userId} and h.session_id = s.session_id and h.${condition})`,
      count: countFew(table, sql`c.${condition}`)
    }
  }

  function tagged({ mode, names }: NonNullable<ListFilter['tags']>): Membership {
    const tags = sql`${sql.param(names)}::text[]`
    const has = mode === 'any' ? sql`s.tags && ${tags}` : sql`s.tags @> ${tags}`
    const count = countFew(sql`session_tags`, sql`c.tag = t.tag`)
    if (mode === 'any') {
      return {
        name: 'tag',
        page: conditions => sql`select distinct on (sort_at) page.* from unnest(${tags}) as t(tag)
          cross join lateral (${members(sql`session_tags`, sql`m.tag = t.tag`, conditions)}) page
          order by sort_at desc ${limit}`,
        has,
        count: sql`(select sum(${count}) from unnest(${tags}) as t(tag))`
      }
    }
    return {
      name: 'tag',
      page: conditions => sql`select page.* from (select t.tag from unnest(${tags}) as t(tag) order by ${count} limit 1) rarest
        cross join lateral (${members(sql`session_tags`, sql`m.tag = rarest.tag`, [has, ...conditions])}) page
        order by sort_at desc`,
      has,
      count: sql`(select min(${count}) from unnest(${tags}) as t(tag))`
    }
  }

  /** A page of the sessions in a membership table, in list order. */
  function members(table: SQL, condition: SQL, conditions: SQL[]) {
    return sql`select ${columns}, s.sort_at from ${table} m
      join sessions s on s.user_id = ${userId} and s.session_id = m.session_id
      where m.user_id = ${userId} and ${sql.join([range(sql`m`), condition, isShown, ...conditions], sql` and `)}
      order by m.sort_at desc ${limit}`
  }

  function range(table: SQL) {
    const within = sql`${table}.sort_at < ${before}::timestamptz and ${table}.sort_at >= ${since}::timestamptz`
    return type === undefined ? within : sql`${within} and ${table}.type = ${type}`
  }

  /** In order, so that the index is read and never the table. */
  function countFew(table: SQL, condition: SQL) {
    return sql`(select count(*) from (
      select from ${table} c where c.user_id = ${userId} and ${condition} order by c.sort_at limit ${MAX_MEMBERS_COUNTED}) few)`
  }
}
