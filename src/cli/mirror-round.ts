import type { SessionDetail } from '../contract/session.ts'
import type { Mirror, Written } from './mirror-folder.ts'
import { type Groups, readGroups } from './mirror-groups.ts'
import { digestOf, groupPage, type Link, sessionPage } from './mirror-pages.ts'
import type { Source } from './mirror-source.ts'

/** A page to write. Its digest is in `entry.next` once it is stored. */
interface Page {
  entry: Written
  text: string
}

interface RoundResult {
  written: number
  removed: number
}

/** Brings the folder to the state of the server, in steps that may each be interrupted. */
export async function runRound(source: Source, mirror: Mirror, isFirst: boolean): Promise<RoundResult> {
  const { state } = mirror
  const result = { written: 0, removed: 0 }
  const groups = await readGroups(source, mirror)
  let stale = groups.stale
  let isDirty = isFirst || groups.isChanged || stale.size > 0
  for (let more = true; more; ) {
    const page = await source.listChanges(state.cursor)
    if (!page) {
      // Deletions would be missed, so everything is read again, and what is not met is removed.
      Object.assign(state, { cursor: null, round: state.round + 1, isComplete: false })
      continue
    }
    const rows = new Map(page.sessions.map(row => [row.id, row.deleted_at !== undefined]))
    for (const id of stale) if (!rows.has(id)) rows.set(id, false)
    stale = new Set()
    isDirty ||= rows.size > 0
    await applyRows(source, mirror, rows, groups, result)
    state.cursor = page.next_cursor
    more = page.has_more
    if (!more && !state.isComplete) await removeUnmet(mirror, result)
    if (rows.size > 0) await mirror.save()
  }
  if (isDirty) await writeGroups(mirror, groups, result)
  return result
}

/** Reads and writes the sessions of the rows, and removes those that are deleted. */
async function applyRows(
  source: Source,
  mirror: Mirror,
  rows: Map<string, boolean>,
  groups: Groups,
  result: RoundResult
) {
  const { state } = mirror
  const gone: string[] = []
  const read: SessionDetail[] = []
  for (const [id, isDeleted] of rows) {
    const session = isDeleted ? undefined : await source.readSession(id)
    if (session) read.push(session)
    else gone.push(id)
  }
  const transcripts = await source.readTranscripts(read.map(({ id }) => id))
  const pages = read.map(detail => pageOf(mirror, detail, transcripts.get(detail.id) ?? null, groups))
  await writePages(mirror, pages, result)
  for (const id of gone) {
    const entry = state.sessions[id]
    if (!entry) continue
    await mirror.remove(entry)
    delete state.sessions[id]
    result.removed++
  }
}

function pageOf(mirror: Mirror, detail: SessionDetail, transcript: string | null, groups: Groups): Page {
  const { state } = mirror
  const at = detail.timestamp ?? detail.created_at
  const folders = (detail.folder_ids ?? []).filter(id => groups.folders.has(id))
  const people = [...groups.members].flatMap(([id, sessions]) => (sessions.includes(detail.id) ? [id] : []))
  const found = state.sessions[detail.id]
  const path = found?.path ?? mirror.choosePath('Sessions', `${at.slice(0, 10)} ${detail.title}`, detail.id)
  const entry = { ...found, path, title: detail.title, at, folders, round: state.round }
  state.sessions[detail.id] = entry
  const peopleLinks = people.map((id): Link => linkOf(groups.people.get(id), state.people[id]))
  const folderLinks = folders.map((id): Link => linkOf(groups.folders.get(id), state.folders[id]))
  return { entry, text: sessionPage({ detail, transcript }, path, peopleLinks, folderLinks) }
}

function linkOf(group: { name: string } | undefined, entry: Written | undefined): Link {
  return { title: group?.name ?? '', path: entry?.path ?? '' }
}

/** Stores the digests before the files are written. */
async function writePages(mirror: Mirror, pages: Page[], result: RoundResult) {
  for (const { entry, text } of pages) entry.next = digestOf(text)
  const changed = pages.filter(({ entry }) => entry.next !== entry.written)
  if (changed.length > 0) await mirror.save()
  for (const { entry, text } of changed) await mirror.write(entry, text)
  result.written += changed.length
}

async function removeUnmet({ state, remove }: Mirror, result: RoundResult) {
  for (const [id, entry] of Object.entries(state.sessions)) {
    if (entry.round === state.round) continue
    await remove(entry)
    delete state.sessions[id]
    result.removed++
  }
  state.isComplete = true
}

/** Writes the pages of people and folders, and notes what they are a copy of. */
async function writeGroups(mirror: Mirror, groups: Groups, result: RoundResult) {
  const { state } = mirror
  const pages: Page[] = []
  const linkTo = (id: string) => state.sessions[id] ?? []
  for (const [id, entry] of Object.entries(state.people)) {
    const [person, sessions] = [groups.people.get(id), groups.members.get(id) ?? []]
    if (person) Object.assign(entry, { title: person.name, seen: person.seen, sessions })
    if (!person) delete state.people[id]
    if (!person || sessions.length === 0) await mirror.remove(entry)
    else pages.push({ entry, text: groupPage(id, person.name, entry.path, sessions.flatMap(linkTo)) })
  }
  for (const [id, entry] of Object.entries(state.folders)) {
    const folder = groups.folders.get(id)
    if (!folder) {
      await mirror.remove(entry)
      delete state.folders[id]
      continue
    }
    Object.assign(entry, { title: folder.name, seen: folder.seen })
    const sessions = Object.values(state.sessions).filter(({ folders }) => folders.includes(id))
    pages.push({ entry, text: groupPage(id, folder.name, entry.path, sessions) })
  }
  await writePages(mirror, pages, result)
  await mirror.save()
}
