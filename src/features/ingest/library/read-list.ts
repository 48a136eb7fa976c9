import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { invalid } from '../../../platform/core/api-error.ts'
import { readJson } from '../../../platform/core/read-json.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import type { ArchiveFile } from '../../exports/archive-reader.ts'
import { LIST_BEGIN, LISTS } from '../../exports/manifest.ts'
import { type LibraryEntry, type LibraryImporter, problemOf } from './archived-session.ts'
import { type ImportedList, importList } from './import-lists.ts'

const MAX_LIST_BYTES = 32 * 1024 ** 2
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
    const entries = entriesOf(file)
    if (list) for await (const problem of importList(services, actor, list, entries)) yield { file: file.name, problem }
    else yield* listShares(file.name, entries)
  } catch (error) {
    yield { file: file.name, problem: problemOf(error) }
  }
}

/** Yields the entries of a list. Each is a line, so that no large list holds up the server; the lists of older archives are read whole. */
async function* entriesOf(file: ArchiveFile): AsyncGenerator<unknown> {
  const held: string[] = []
  let isLined: boolean | undefined
  for await (const line of file.readLines(MAX_LIST_BYTES)) {
    if (held.length === 1) isLined ??= held[0] === LIST_BEGIN && line.startsWith('{"')
    if (!isLined) held.push(line)
    else if (line.startsWith('{')) yield parse(line.endsWith(',') ? line.slice(0, -1) : line)
  }
  if (isLined) return
  const whole = parse(held.join('\n'))
  if (!Array.isArray(whole)) throw invalid({ expected: 'a list of objects' })
  yield* whole
}

function parse(json: string) {
  return readJson(Buffer.from(json), { maxValues: LIMITS.documentValues, repairsText: false })
}

const Recipient = z.object({ name: z.string().nullish(), email: z.string().nullish() })
const Shares = z.array(
  z.object({ session_id: z.string(), people: z.array(Recipient), pending_invites: z.array(Recipient) })
)

const MAX_NAMED = 3

/** Names every share. None is restored, because nobody gets access without the owner's doing. */
async function* listShares(file: string, entries: AsyncIterable<unknown>): AsyncGenerator<LibraryEntry> {
  const all: unknown[] = []
  for await (const entry of entries) all.push(entry)
  const { data: shares } = Shares.safeParse(all)
  if (!shares) return yield { file, problem: 'expected a list of shares' }
  if (shares.length === 0) return
  const sessions = shares.length === 1 ? '1 session was' : `${shares.length} sessions were`
  yield { file, warning: `${sessions} shared; shares are not restored, so share again what others should read` }
  for (const { session_id: id, people, pending_invites: invites } of shares) {
    const known = people.map(({ name, email }) => email ?? name ?? 'a deleted user')
    const invited = invites.map(({ email }) => `${email ?? 'somebody'} (invited)`)
    yield { file, warning: `the session with the external id ${id} was shared with ${named([...known, ...invited])}` }
  }
}

function named(all: readonly string[]) {
  const others = all.length - MAX_NAMED
  const first = all.slice(0, MAX_NAMED).join(', ')
  return others > 0 ? `${first} and ${others} more` : first
}
