import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { readJson } from '../../../platform/core/read-json.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import type { ArchiveFile } from '../../exports/archive-reader.ts'
import { LISTS } from '../../exports/manifest.ts'
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
    const json = await readSmall(file, MAX_LIST_BYTES)
    if (list) for await (const problem of importList(services, actor, list, json)) yield { file: file.name, problem }
    else yield* listShares(file.name, json)
  } catch (error) {
    yield { file: file.name, problem: problemOf(error) }
  }
}

async function readSmall(file: ArchiveFile, maxBytes: number) {
  const text = await file.readText(maxBytes)
  return readJson(Buffer.from(text), { maxValues: LIMITS.documentValues, repairsText: false })
}

const Recipient = z.object({ name: z.string().nullish(), email: z.string().nullish() })
const Shares = z.array(
  z.object({ session_id: z.string(), people: z.array(Recipient), pending_invites: z.array(Recipient) })
)

const MAX_NAMED = 3

/** Names every share. None is restored, because nobody gets access without the owner's doing. */
function* listShares(file: string, json: unknown): Generator<LibraryEntry> {
  const { data: shares } = Shares.safeParse(json)
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
