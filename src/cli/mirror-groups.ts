import type { Mirror, Written } from './mirror-folder.ts'
import type { Source } from './mirror-source.ts'

/** A person or a folder as the server lists it. */
export interface Group {
  id: string
  name: string
  /** Differs after a change of its sessions. */
  seen: string
}

/** People and folders of a round, and the sessions whose pages name them otherwise. */
export interface Groups {
  people: Map<string, Group>
  folders: Map<string, Group>
  /** The sessions of each person. */
  members: Map<string, string[]>
  stale: Set<string>
  isChanged: boolean
}

/**
 * Compares people and folders with those of the last round. Their changes do not change a session, so the list of changes leaves them out. The state keeps
 * what it had until the pages are written, so that an interrupted round is done again.
 */
export async function readGroups(source: Source, mirror: Mirror): Promise<Groups> {
  const { state } = mirror
  const folders = (await source.listFolders()).map(({ id, name, updated_at: seen = '' }) => ({ id, name, seen }))
  const people = (await source.listPeople()).map(({ id, name, recording_count: count, last_heard_at: at }) => {
    return { id, name, count, seen: `${count} ${at}` }
  })
  const groups: Groups = {
    people: new Map(people.map(person => [person.id, person])),
    folders: new Map(folders.map(folder => [folder.id, folder])),
    members: new Map(),
    stale: new Set(),
    isChanged: false
  }
  for (const person of people) {
    const before =
      state.people[person.id] ?? newGroup<{ sessions: string[] }>(mirror, 'People', person, { sessions: [] })
    state.people[person.id] = before
    const isSame = before.seen === person.seen
    const now = isSame ? before.sessions : await source.listPersonSessions(person, before.sessions)
    groups.members.set(person.id, now)
    const moved = before.title === person.name ? differenceOf(before.sessions, now) : [...before.sessions, ...now]
    for (const id of moved) groups.stale.add(id)
    groups.isChanged ||= !isSame
  }
  for (const folder of folders) {
    const before = state.folders[folder.id] ?? newGroup(mirror, 'Folders', folder, {})
    state.folders[folder.id] = before
    if (before.seen === folder.seen) continue
    groups.isChanged = true
    const had = Object.entries(state.sessions).flatMap(([id, { folders: of }]) => (of.includes(folder.id) ? [id] : []))
    const now = Object.keys(state.sessions).length > 0 ? await source.listFolderSessions(folder.id) : []
    for (const id of before.title === folder.name ? differenceOf(had, now) : [...had, ...now]) groups.stale.add(id)
  }
  for (const [id, { sessions }] of Object.entries(state.people)) if (!groups.people.has(id)) markAll(groups, sessions)
  for (const [id, session] of Object.entries(state.sessions)) {
    if (session.folders.some(folder => !groups.folders.has(folder))) markAll(groups, [id])
  }
  groups.isChanged ||= Object.keys(state.folders).length > groups.folders.size
  // A session that was not copied yet comes with the list of changes.
  if (!state.isComplete) for (const id of groups.stale) if (!state.sessions[id]) groups.stale.delete(id)
  return groups
}

function markAll(groups: Groups, sessions: string[]) {
  for (const id of sessions) groups.stale.add(id)
  groups.isChanged = true
}

function differenceOf(before: string[], now: string[]) {
  return [...new Set(before).symmetricDifference(new Set(now))]
}

function newGroup<T extends object>(
  mirror: Mirror,
  place: string,
  { id, name }: Group,
  more: T
): Written & { seen: string } & T {
  return { path: mirror.choosePath(place, name, id), title: name, seen: '', ...more }
}
