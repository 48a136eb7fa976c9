import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../../../contract/limits.ts'
import { isUrl, recordingExtension } from '../../../contract/recording.ts'
import { ApiError, describeError } from '../../../platform/core/api-error.ts'
import { isUnavailable } from '../../../platform/db/errors.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import type { PackedEntry } from '../../../platform/ports/reader.ts'
import { findRoom, limitsFor } from '../../access/room.ts'
import { type ArchiveFile, UnreadableArchive } from '../../exports/archive-reader.ts'
import type { Needs } from '../../services.ts'
import { summaryOf } from '../document-fields.ts'
import { type Imported, type Importer, importDocument } from '../operations.ts'
import { KINDS } from '../recordings.ts'

export type LibraryImporter = Importer & Needs<'reader' | 'uploadFolder' | 'diskReserve'>

/**
 * A session of an archive, a sentence about what could not be imported, or one about what an import leaves out. `isLast`: an import ends with it,
 * because all sessions after it would be refused as well.
 */
export type LibraryEntry = { file: string } & (
  | { imported: Imported }
  | { problem: string; isLast?: true }
  | { warning: string }
)

/** The state is small: the transcripts of a session are in its other files. */
const MAX_STATE_BYTES = 4 * 1024 ** 2
const TEXTS = ['document.json', 'state.json', 'original.json']

/** The files of one session, which are written to a folder of their own. */
export interface SessionFiles {
  place: string
  folder: string
  problem: string | undefined
  names: Set<string>
}

export function isOfSession(name: string) {
  const file = basename(name)
  return name.startsWith('sessions/') && (TEXTS.includes(file) || /^(?:audio|video)\.[a-z0-9]+$/.test(file))
}

export async function beginSession(folder: string, place: string): Promise<SessionFiles> {
  const own = join(folder, 'session')
  await rm(own, { recursive: true, force: true })
  await mkdir(own, { mode: 0o700 })
  return { place, folder: own, problem: undefined, names: new Set() }
}

/** Writes a file of a session to the disk. Its name is one of ours. */
export async function takeFile(
  { diskReserve, uploadFolder }: LibraryImporter,
  session: SessionFiles,
  file: ArchiveFile
) {
  const name = basename(file.name)
  const max = maxBytesOf(name)
  if (session.names.has(name)) session.problem ??= `${name} is in the archive twice`
  else if (file.bytes > max) session.problem ??= `${name} is larger than ${max / 1024 ** 2} MiB`
  if (session.problem !== undefined) return
  session.names.add(name)
  await diskReserve.require(uploadFolder, file.bytes)
  await pipeline(
    Readable.from(await file.open()),
    createWriteStream(join(session.folder, name), { mode: 0o600 })
  ).catch(() => {
    session.problem ??= `${name} is damaged`
  })
}

function maxBytesOf(name: string) {
  if (recordingExtension(name) !== undefined) return LIMITS.uploadBytes
  return name === 'state.json' ? MAX_STATE_BYTES : LIMITS.documentBytes
}

export async function importSession(
  services: LibraryImporter,
  actor: Actor,
  session: SessionFiles
): Promise<LibraryEntry> {
  // The rest of the library would fail as well while the database is busy or starts again.
  for (let left = ATTEMPTS; ; left--) {
    try {
      return await attemptImport(services, actor, session)
    } catch (error) {
      if (left === 1 || !isUnavailable(error)) throw error
      await sleep(AWAY_MS)
    }
  }
}

const ATTEMPTS = 30
const AWAY_MS = 1_000

/** A second attempt finds the session if the first one has stored it. */
async function attemptImport(
  services: LibraryImporter,
  actor: Actor,
  { place: file, folder, names, problem }: SessionFiles
): Promise<LibraryEntry> {
  if (problem !== undefined) return { file, problem }
  try {
    if (!names.has('document.json')) return { file, problem: 'document.json is missing' }
    const read = async (name: string) =>
      await services.reader.readFile({ path: join(folder, name), name, isArchived: true }, actor.userId)
    const entry = await read('document.json')
    if (!entry) return { file, problem: 'document.json is empty' }
    if (!hasContent(entry)) return { file, problem: 'it has neither a transcript nor a summary nor a recording' }
    const original = names.has('original.json') ? (await read('original.json'))?.document.transcript : undefined
    const restored = names.has('state.json')
      ? { state: await services.reader.readState(join(folder, 'state.json'), actor.userId), original }
      : undefined
    const imported = await importDocument(services, actor, { ...entry, isOurs: true, ...(restored && { restored }) })
    return { file, imported }
  } catch (error) {
    const problem = problemOf(error)
    if (!(error instanceof ApiError && error.code === 'limit_exceeded') || (await hasRoomToday(services, actor)))
      return { file, problem }
    return { file, problem: `${problem}. ${ENDED}`, isLast: true }
  }
}

const ENDED = 'The import ended here: import the same archive again after 00:00 UTC, and it goes on with this session'

async function hasRoomToday(services: LibraryImporter, actor: Actor) {
  const taking = { limits: limitsFor(services, actor), now: services.clock.now() }
  return (await findRoom(services.db, actor.userId, 'sessions_per_day', taking)) > 0
}

/** An export without transcripts has the summaries. Without either there would be nothing to process. */
function hasContent({ document, recordings }: PackedEntry) {
  return (
    document.transcript.length > 0 ||
    summaryOf(document) !== null ||
    KINDS.some(kind => recordings[kind] !== undefined || isUrl(document.media?.[kind] ?? ''))
  )
}

/** The sentence of an error that others may go on after. Throws any other. */
export function problemOf(error: unknown) {
  if (error instanceof ApiError) return describeError(error, 'give')
  if (error instanceof UnreadableArchive) return error.message
  throw error
}
