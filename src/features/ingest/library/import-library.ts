import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LIMITS } from '../../../contract/limits.ts'
import { invalid } from '../../../platform/core/api-error.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import { operation } from '../../access/operation.ts'
import { type ArchiveFile, readArchive, UnreadableArchive } from '../../exports/archive-reader.ts'
import { KIND, MANIFEST, Manifest } from '../../exports/manifest.ts'
import { PREFIX } from '../upload.ts'
import {
  beginSession,
  importSession,
  isOfSession,
  type LibraryEntry,
  type LibraryImporter,
  type SessionFiles,
  takeFile
} from './archived-session.ts'
import { readList } from './read-list.ts'

/** The most bytes that an archive unpacks to, by its own, and besides. Texts get about ten times smaller, and recordings hardly. */
const UNPACKED = { times: 100, besides: 1024 ** 3 }

/** An archive that is an export of a library. */
interface OpenLibrary {
  /** The sessions that it should have. */
  total: number
  /** Imports session by session. Nothing that goes wrong with one of them ends it, but a used-up quota of the day. */
  entries(): AsyncGenerator<LibraryEntry>
}

/**
 * Opens an archive of a library for its import. What was imported before stays as it is, so an import that broke off goes on when it is repeated.
 * Throws invalid_request for a file that is no such archive, before anything is imported.
 */
export const openLibraryArchive = operation(
  'uploadSession',
  async (services: LibraryImporter, actor, path: string): Promise<OpenLibrary> => {
    const { counts } = await requireLibrary(path)
    return { total: counts.sessions, entries: () => importEntries(services, actor, path) }
  }
)

async function* importEntries(services: LibraryImporter, actor: Actor, path: string): AsyncGenerator<LibraryEntry> {
  const { uploadFolder } = services
  await mkdir(uploadFolder, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(uploadFolder, PREFIX))
  try {
    let current: SessionFiles | undefined
    for await (const file of readFiles(path)) {
      if (current && current.place !== dirname(file.name)) {
        const entry = await importSession(services, actor, current)
        yield entry
        if ('isLast' in entry) return
        current = undefined
      }
      yield* readList(services, actor, file)
      if (!isOfSession(file.name)) continue
      current ??= await beginSession(folder, dirname(file.name))
      await takeFile(services, current, file)
    }
    if (current) yield await importSession(services, actor, current)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Looks through the whole list of files first, so that a cut or a hostile archive changes nothing. */
async function requireLibrary(path: string) {
  let manifest: Manifest | undefined
  let unpacked = 0
  for await (const file of readFiles(path)) {
    unpacked += file.bytes
    if (file.name === MANIFEST) manifest = await readManifest(file)
  }
  const { size } = await stat(path)
  if (unpacked > UNPACKED.times * size + UNPACKED.besides)
    throw invalid({ field: 'file', problem: 'The archive unpacks to far more than its size, as no library does' })
  if (manifest?.kind === KIND) return manifest
  throw invalid({
    field: 'file',
    problem: 'The zip archive is no export of a Parlance library, or its manifest is damaged'
  })
}

/** Undefined for one that is damaged. */
async function readManifest(file: ArchiveFile) {
  try {
    return Manifest.safeParse(JSON.parse(await file.readText(LIMITS.bodyBytes))).data
  } catch {
    return undefined
  }
}

async function* readFiles(path: string) {
  try {
    yield* readArchive(path)
  } catch (error) {
    throw error instanceof UnreadableArchive ? invalid({ field: 'file', problem: error.message }) : error
  }
}
