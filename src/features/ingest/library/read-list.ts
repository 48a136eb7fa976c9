import { z } from 'zod'
import { invalid } from '../../../platform/core/api-error.ts'
import { readJson } from '../../../platform/core/read-json.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import { openPauses } from '../../../platform/work/pauses.ts'
import type { ArchiveFile } from '../../exports/archive-reader.ts'
import { LIST_BEGIN, LISTS } from '../../exports/manifest.ts'
import { type LibraryEntry, type LibraryImporter, problemOf } from './archived-session.ts'
import { type ImportedList, importList } from './import-lists.ts'

const MAX_LIST_BYTES = 32 * 1024 ** 2
/** The most that is parsed at once, because nothing else goes on meanwhile: an entry, or a list that is read whole. */
const MAX_PARSED = { characters: 4 * 1024 ** 2, values: 50_000 }
const LIST_NAMES = new Map<string, ImportedList>([
  [LISTS.folders, 'folders'],
  [LISTS.people, 'people'],
  [LISTS.terms, 'terms'],
  [LISTS.templates, 'templates']
])

/** Imports a list of an archive, and yields what could not be imported. Yields nothing for any other file. */
export async function* readList(
  services: LibraryImporter,
  actor: Actor,
  file: ArchiveFile
): AsyncGenerator<LibraryEntry> {
  const list = LIST_NAMES.get(file.name)
  if (!list && file.name !== LISTS.shares) return
  try {
    if (!list) return yield* listShares(file)
    for await (const problem of importList(services, actor, list, entriesOf(file))) yield { file: file.name, problem }
  } catch (error) {
    yield { file: file.name, problem: problemOf(error) }
  }
}

/** Yields the entries of a list. Each is a line, so that no large list holds up the server; the lists of older archives are read whole. */
async function* entriesOf(file: ArchiveFile): AsyncGenerator<unknown> {
  const pause = openPauses()
  const held: string[] = []
  let heldCharacters = 0
  let isLined: boolean | undefined
  for await (const line of file.readLines(MAX_LIST_BYTES)) {
    await pause()
    if (held.length === 1) isLined ??= held[0] === LIST_BEGIN && line.startsWith('{"')
    if (!isLined) {
      held.push(line)
      heldCharacters += line.length + 1
      if (heldCharacters > MAX_PARSED.characters) throw tooLong()
    } else if (line.startsWith('{')) yield parse(line.endsWith(',') ? line.slice(0, -1) : line)
  }
  if (isLined) return
  const whole = parse(held.join('\n'))
  if (!Array.isArray(whole)) throw invalid({ expected: 'a list of objects' })
  for (const entry of whole) {
    await pause()
    yield entry
  }
}

function parse(json: string) {
  if (json.length > MAX_PARSED.characters) throw tooLong()
  return readJson(Buffer.from(json), { maxValues: MAX_PARSED.values, repairsText: false })
}

function tooLong() {
  return invalid({ problem: 'An entry, or a list that has no line for each entry, is longer than 4 MiB' })
}

const Recipient = z.object({ name: z.string().nullish(), email: z.string().nullish() })
const Share = z.object({ session_id: z.string(), people: z.array(Recipient), pending_invites: z.array(Recipient) })

const MAX_NAMED = 3

/** Names every share. None is restored, because nobody gets access without the owner's doing. */
async function* listShares(archived: ArchiveFile): AsyncGenerator<LibraryEntry> {
  const file = archived.name
  // Read twice, because all of them together may be too many for the memory.
  let count = 0
  for await (const _ of sharesOf(archived)) count++
  if (count === 0) return
  const sessions = count === 1 ? '1 session was' : `${count} sessions were`
  yield { file, warning: `${sessions} shared; shares are not restored, so share again what others should read` }
  for await (const { session_id: id, people, pending_invites: invites } of sharesOf(archived)) {
    const known = people.map(({ name, email }) => email ?? name ?? 'a deleted user')
    const invited = invites.map(({ email }) => `${email ?? 'somebody'} (invited)`)
    yield { file, warning: `the session with the external id ${id} was shared with ${named([...known, ...invited])}` }
  }
}

async function* sharesOf(file: ArchiveFile) {
  for await (const entry of entriesOf(file)) {
    const { data: share } = Share.safeParse(entry)
    if (!share) throw invalid({ expected: 'a list of shares' })
    yield share
  }
}

function named(all: readonly string[]) {
  const others = all.length - MAX_NAMED
  const first = all.slice(0, MAX_NAMED).join(', ')
  return others > 0 ? `${first} and ${others} more` : first
}
