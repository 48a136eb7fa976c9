import type { Statement } from '../db/open.ts'

/** Which filters a list has besides its range; their values are parameters. */
export interface ListShape {
  type: boolean
  folder: boolean
  tags: 'any' | 'all' | undefined
}

const COLUMNS = 's.session_id, s.title, s."timestamp", s.duration_seconds, s.type, s.platform, s.audio_deleted_at, s.phone, s.sort_at'

/** How far members are counted to see which of two filters leaves fewer. */
const FEW = 500

const statements = new Map<string, Statement>()

/**
 * The statement for a combination of filters. Parameters: user, before, since, limit, then type, folder and tags where the
 * combination has them. Each reads an index in the order of the list, and stops when the page is full: the sessions
 * themselves, the members of a folder, or of a tag. Which of a folder and its tags, or of several tags, is read, and
 * which are only looked up for each row, is decided by who has fewer members.
 */
export function listStatement(shape: ListShape): Statement {
  const name = ['list_sessions', shape.type && 'type', shape.folder && 'folder', shape.tags].filter(Boolean).join('_')
  const known = statements.get(name)
  if (known) return known
  const made = { name, text: textOf(shape) }
  statements.set(name, made)
  return made
}

function textOf({ type, folder, tags }: ListShape) {
  let next = 5
  const typeAt = type ? `$${next++}` : undefined
  const folderAt = folder ? `$${next++}` : undefined
  const tagsAt = tags ? `$${next++}::text[]` : undefined

  const inFolder = `exists (select from folder_sessions f where f.user_id = $1 and f.session_id = s.session_id and f.folder_id = ${folderAt})`
  const tagged = `s.tags ${tags === 'any' ? '&&' : '@>'} ${tagsAt}`

  if (folderAt && tagsAt) {
    const members = fewOf('folder_sessions', `c.folder_id = ${folderAt}`)
    const fewest = tags === 'any' ? 'sum' : 'min'
    return `with choice as (
        select ${members} <= (select ${fewest}(${fewOf('session_tags', 'c.tag = t.tag')}) from unnest(${tagsAt}) as t(tag)) as folder_first
      )
      select * from (${folderPage([tagged, '(select folder_first from choice)'])}) by_folder
      union all
      select * from (${tagPage([inFolder, 'not (select folder_first from choice)'])}) by_tag
      order by sort_at desc limit $4`
  }
  if (folderAt) return folderPage([])
  if (tagsAt) return tagPage([])
  return `select ${COLUMNS} from sessions s
    where ${range('s')} and s.state = 'completed'
    order by s.sort_at desc limit $4`

  function folderPage(conditions: string[]) {
    return members('folder_sessions', `m.folder_id = ${folderAt}`, conditions)
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
      cross join lateral (${members('session_tags', 'm.tag = rarest.tag', [tagged, ...conditions])}) page
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
