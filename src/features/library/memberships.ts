import { type SQL, sql } from '../../platform/db/drizzle.ts'

/** The parts that the statements of one request share. */
export interface ListParts {
  userId: string
  columns: SQL
  isShown: SQL
  limit: SQL
  /** The conditions that a row of the table is in the range of the list, and has the type. */
  inRange: (alias: SQL) => SQL[]
}

/** The demands of a page besides its membership: conditions on the session `s`, and the other memberships with which it is merged. */
interface Demands {
  conditions?: SQL[]
  merged?: Merged[]
}

/** A join of a row of another membership at the position of `m`, in which both are in order. */
interface Merged {
  alias: SQL
  join: SQL
}

/** A filter by membership in a table `m`, whose rows are in list order for each condition. */
interface Membership {
  name: 'folder' | 'person' | 'tag' | 'state' | 'favorite'
  /** Pages through the sessions that meet the demands. */
  page: (demands: Demands) => SQL
  /** True if the session `s` is a member. One lookup. */
  has: SQL
  /** How another membership is merged with this one. Undefined if this one has a session several times: then it is the one that pages. */
  merged: Merged[] | undefined
  /** The number of members, up to the limit. */
  count: SQL
}

/** Members are counted up to this number, to see which of two filters has fewer. */
const MAX_MEMBERS_COUNTED = 500

/**
 * Has a branch for each membership, and one that merges them all in list order. The members are counted first, and only one branch runs: that of
 * the membership with few, whose sessions are looked up in the others, or else the last one, which reads each index at most once.
 */
export function intersection(parts: ListParts, memberships: Membership[]) {
  const counts = memberships.map(({ name, count }) => sql`(${sql.raw(`'${name}'`)}, ${count})`)
  const branches = memberships.map(({ name, page }) => {
    const lookups = memberships.filter(other => other.name !== name).map(({ has }) => has)
    const isFewest = sql`(select name from fewest where members < ${MAX_MEMBERS_COUNTED}) = ${sql.raw(`'${name}'`)}`
    return sql`select * from (${page({ conditions: [...lookups, isFewest] })}) ${sql.raw(`by_${name}`)}`
  })
  const areMany = sql`(select members from fewest) >= ${MAX_MEMBERS_COUNTED}`
  const [first, ...others] = memberships.toSorted((a, b) => Number(!!a.merged) - Number(!!b.merged))
  const merged = first?.page({ conditions: [areMany], merged: others.flatMap(other => other.merged ?? []) })
  return sql`
    with fewest as (select name, members from (values ${sql.join(counts, sql`, `)}) as c(name, members) order by members limit 1)
    ${sql.join([...branches, sql`select * from (${merged}) merged`], sql` union all `)}
    order by sort_at desc ${parts.limit}`
}

export function inFolder(parts: ListParts, folderId: string): Membership {
  return member(parts, 'folder', sql`folder_sessions`, alias => sql`${alias}.folder_id = ${folderId}`)
}

export function withPerson(parts: ListParts, personId: string): Membership {
  return member(parts, 'person', sql`session_people`, alias => sql`${alias}.person_id = ${personId}`)
}

function member(parts: ListParts, name: 'folder' | 'person', table: SQL, isMember: (alias: SQL) => SQL): Membership {
  const { userId } = parts
  return {
    name,
    page: demands => pageOf(parts, table, isMember(sql`m`), demands),
    has: sql`exists (
      select from ${table} h where h.user_id = ${userId} and h.session_id = s.session_id and ${isMember(sql`h`)})`,
    merged: [mergedAt(userId, name, table, isMember)],
    count: countFew(userId, table, isMember(sql`c`))
  }
}

/** The favorites, which have an index in list order. With a condition on themselves a page reads no other session. */
export function areFavorites(parts: ListParts, page: Membership['page']): Membership {
  return {
    page: ({ conditions = [] }) => page({ conditions: [sql`s.favorite`, ...conditions] }),
    has: sql`s.favorite`,
    ...ofOwnRow(parts, 'favorite', alias => sql`${alias}.favorite`)
  }
}

/** A state with an index in list order, of which a folder, person or tag may have none among very many sessions. */
export function inState(parts: ListParts, state: 'failed' | 'deleted', page: Membership['page']): Membership {
  return {
    page,
    has: parts.isShown,
    ...ofOwnRow(parts, 'state', alias => sql`${alias}.state = ${sql.raw(`'${state}'`)}`)
  }
}

/** The parts of a membership that a session's own row says. */
function ofOwnRow({ userId }: ListParts, name: Membership['name'], isMember: (alias: SQL) => SQL) {
  const sessions = sql`sessions`
  return {
    name,
    merged: [mergedAt(userId, name, sessions, isMember)],
    count: countFew(userId, sessions, isMember(sql`c`))
  }
}

/** Pages through each tag. A session with several of the tags is listed once. */
export function withAnyTag(parts: ListParts, names: string[]): Membership {
  const tags = sql`${sql.param(names)}::text[]`
  const count = countFew(parts.userId, sql`session_tags`, sql`c.tag = t.tag`)
  return {
    name: 'tag',
    page: demands => sql`
      select distinct on (sort_at) page.* from unnest(${tags}) as t(tag)
      cross join lateral (${pageOf(parts, sql`session_tags`, sql`m.tag = t.tag`, demands)}) page
      order by sort_at desc ${parts.limit}`,
    has: sql`s.tags && ${tags}`,
    merged: undefined,
    count: sql`(select sum(${count}) from unnest(${tags}) as t(tag))`
  }
}

/** Pages through the rarest tag, merged with the others. */
export function withAllTags(parts: ListParts, names: string[]): Membership {
  const tags = sql`${sql.param(names)}::text[]`
  const count = countFew(parts.userId, sql`session_tags`, sql`c.tag = t.tag`)
  const merged = names.map((name, n) =>
    mergedAt(parts.userId, `tag_${n}`, sql`session_tags`, alias => sql`${alias}.tag = ${name}`)
  )
  return {
    name: 'tag',
    page: ({ conditions, merged: others = [] }) => sql`
      select page.* from (select t.tag from unnest(${tags}) as t(tag) order by ${count} limit 1) rarest
      cross join lateral (${pageOf(parts, sql`session_tags`, sql`m.tag = rarest.tag`, { conditions, merged: [...merged, ...others] })}) page
      order by sort_at desc`,
    has: sql`s.tags @> ${tags}`,
    merged,
    count: sql`(select min(${count}) from unnest(${tags}) as t(tag))`
  }
}

/** A session has its position to itself, so that a member at the position of `m` is the same session. */
function mergedAt(userId: string, name: string, table: SQL, isMember: (alias: SQL) => SQL): Merged {
  const alias = sql.raw(`at_${name}`)
  return {
    alias,
    join: sql`join ${table} ${alias} on ${alias}.user_id = ${userId} and ${isMember(alias)} and ${alias}.sort_at = m.sort_at`
  }
}

/**
 * A page of the sessions in a table `m` of memberships, in list order. `offset 0` keeps the planner from reading sessions before it has merged
 * the memberships: it expects most members of one to be members of the other.
 */
function pageOf(parts: ListParts, table: SQL, isMember: SQL, { conditions = [], merged = [] }: Demands) {
  const { userId, columns, isShown, limit, inRange } = parts
  const isSame = and([
    sql`s.session_id = m.session_id`,
    ...merged.map(({ alias }) => sql`s.sort_at = ${alias}.sort_at`)
  ])
  return sql`
      select ${columns}, s.sort_at from ${table} m ${sql.join(
        merged.map(({ join }) => join),
        sql` `
      )}
      cross join lateral (select * from sessions s where s.user_id = ${userId} and ${isSame} ${merged.length > 0 ? sql`offset 0` : undefined}) s
      where ${and([sql`m.user_id = ${userId}`, isMember, ...inRange(sql`m`), isShown, ...conditions])}
      order by m.sort_at desc ${limit}`
}

/** Counts the members `c`. In order, so that the index is read and never the table. */
function countFew(userId: string, table: SQL, isMember: SQL) {
  return sql`(select count(*) from (
      select from ${table} c where c.user_id = ${userId} and ${isMember} order by c.sort_at limit ${MAX_MEMBERS_COUNTED}) few)`
}

export function and(conditions: SQL[]) {
  return sql.join(conditions, sql` and `)
}
