import type { Statement } from '../db/open.ts'

/** Which filters a list has besides its range; their values are parameters. */
export interface ListShape {
  type: boolean
  folder: boolean
  person: boolean
  tags: 'any' | 'all' | undefined
}

const COLUMNS = 's.session_id, s.title, s."timestamp", s.duration_seconds, s.type, s.platform, s.audio_deleted_at, s.phone, s.sort_at'

/** How far members are counted to see which of two filters leaves fewer. */
const FEW = 500

const statements = new Map<string, Statement>()

/**
 * The statement for a combination of filters. Parameters: user, before, since, limit, then type, folder, person and tags
 * where the combination has them. Each reads an index in the order of the list, and stops when the page is full: the
 * sessions themselves, the members of a folder, of a person, or of a tag. Which of them is read, and which are only looked
 * up for each row, is decided by who has fewer members.
 */
export function listStatement(shape: ListShape): Statement {
  const name = ['list_sessions', shape.type && 'type', shape.folder && 'folder', shape.person && 'person', shape.tags]
    .filter(Boolean)
    .join('_')
  const known = statements.get(name)
  if (known) return known
  const made = { name, text: textOf(shape) }
  statements.set(name, made)
  return made
}

/** A filter by membership: how to read its members, to look one up, and to count them as far as it matters. */
interface Membership {
  name: string
  page: (conditions: string[]) => string
  has: string
  count: string
}

function textOf({ type, folder, person, tags }: ListShape) {
  let next = 5
  const typeAt = type ? `$${next++}` : undefined
  const folderAt = folder ? `$${next++}` : undefined
  const personAt = person ? `$${next++}` : undefined
  const tagsAt = tags ? `$${next++}::text[]` : undefined

  const memberships: Membership[] = [
    ...(folderAt ? [memberOf('folder', 'folder_sessions', `folder_id = ${folderAt}`)] : []),
    ...(personAt ? [memberOf('person', 'session_people', `person_id = ${personAt}`)] : []),
    ...(tagsAt ? [tagged()] : [])
  ]
  const [only, ...others] = memberships
  if (only && others.length === 0) return only.page([])
  if (only) {
    const counted = memberships.map(({ name, count }) => `('${name}', ${count})`)
    const pages = memberships.map(({ name, page }) => {
      const lookedUp = memberships.filter(one => one.name !== name).map(({ has }) => has)
      return `select * from (${page([...lookedUp, `(select name from fewest) = '${name}'`])}) by_${name}`
    })
    return `with fewest as (select name from (values ${counted.join(', ')}) as c(name, members) order by members limit 1)
      ${pages.join(' union all ')}
      order by sort_at desc limit $4`
  }
  return `select ${COLUMNS} from sessions s
    where ${range('s')} and s.state = 'completed'
    order by s.sort_at desc limit $4`

  function memberOf(name: string, table: string, of: string): Membership {
    return {
      name,
      page: conditions => members(table, `m.${of}`, conditions),
      has: `exists (select from ${table} h where h.user_id = $1 and h.session_id = s.session_id and h.${of})`,
      count: fewOf(table, `c.${of}`)
    }
  }

  function tagged(): Membership {
    const total = tags === 'any' ? 'sum' : 'min'
    return {
      name: 'tag',
      page: tagPage,
      has: hasTags(),
      count: `(select ${total}(${fewOf('session_tags', 'c.tag = t.tag')}) from unnest(${tagsAt}) as t(tag))`
    }
  }

  function hasTags() {
    return `s.tags ${tags === 'any' ? '&&' : '@>'} ${tagsAt}`
  }

  function tagPage(conditions: string[]) {
    if (tags === 'any') {
      return `select distinct on (sort_at) page.* from unnest(${tagsAt}) as t(tag)
        cross join lateral (${members('session_tags', 'm.tag = t.tag', conditions)}) page
        order by sort_at desc limit $4`
    }
    return `select page.* from (
        select t.tag from unnest(${tagsAt}) as t(tag) order by ${fewOf('session_tags', 'c.tag = t.tag')} limit 1
      ) rarest
      cross join lateral (${members('session_tags', 'm.tag = rarest.tag', [hasTags(), ...conditions])}) page
      order by sort_at desc`
  }

  /** A page of the sessions that a side table names, in its order. */
  function members(table: string, of: string, conditions: string[]) {
    return `select ${COLUMNS} from ${table} m
      join sessions s on s.user_id = m.user_id and s.session_id = m.session_id
      where ${[range('m'), of, "s.state = 'completed'", ...conditions].join(' and ')}
      order by m.sort_at desc limit $4`
  }

  function range(table: string) {
    const within = `${table}.user_id = $1 and ${table}.sort_at < $2::timestamptz and ${table}.sort_at >= $3::timestamptz`
    return typeAt ? `${within} and ${table}.type = ${typeAt}` : within
  }

  /** In order, so that the index is read and never the table. */
  function fewOf(table: string, of: string) {
    return `(select count(*) from (select from ${table} c where c.user_id = $1 and ${of} order by c.sort_at limit ${FEW}) few)`
  }
}
