import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { LibraryImported } from '../../../contract/library-imported.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { recordingExtension } from '../../../contract/recording.ts'
import { ApiError, describeError, invalid } from '../../../platform/core/api-error.ts'
import { readJson } from '../../../platform/core/read-json.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import { operation } from '../../access/operation.ts'
import { type ArchiveFile, readArchive, UnreadableArchive } from '../../exports/archive-reader.ts'
import { KIND, LISTS, MANIFEST, Manifest } from '../../exports/manifest.ts'
import type { Needs } from '../../services.ts'
import { type Imported, type Importer, importDocument } from '../operations.ts'
import { PREFIX } from '../upload.ts'
import { type ImportedList, importList } from './import-lists.ts'
import { KeptState } from './kept-state.ts'

export type LibraryImporter = Importer & Needs<'reader' | 'uploadFolder' | 'diskReserve'>

/** A session of an archive, or a sentence about what could not be imported. */
export type LibraryEntry = { file: string; imported: Imported } | { file: string; problem: string }

const MAX_LIST_BYTES = 32 * 1024 ** 2
const LIST_NAMES = new Map<string, ImportedList>([
  [LISTS.folders, 'folders'],
  [LISTS.people, 'people'],
  [LISTS.terms, 'terms'],
  [LISTS.templates, 'templates']
])
const TEXTS = ['document.json', 'state.json', 'original.json']

/**
 * Imports an archive of a library, session by session. What was imported before stays as it is, so an import that broke off goes on when it is
 * repeated. Throws invalid_request for a file that is no such archive, before anything is imported.
 */
export const importLibrary = operation(
  'uploadSession',
  async (services: LibraryImporter, actor, path: string): Promise<AsyncGenerator<LibraryEntry>> => {
    await requireLibrary(path)
    return importEntries(services, actor, path)
  }
)

/**
 * Imports a library, and returns how many of its sessions are new. Throws invalid_request for a field that is sent with it, which would overwrite
 * that of every session.
 */
export const importWholeLibrary = operation(
  'uploadSession',
  async (services: LibraryImporter, actor, path: string, fields: object): Promise<LibraryImported> => {
    refuseFields(fields)
    const counts = { sessions_added: 0, sessions_existing: 0, problem_count: 0 }
    const problems: string[] = []
    for await (const entry of await importLibrary(services, actor, path)) {
      if ('imported' in entry) counts[entry.imported.created ? 'sessions_added' : 'sessions_existing']++
      else if (++counts.problem_count <= LIMITS.exports.problems) problems.push(`${entry.file}: ${entry.problem}`)
    }
    return { ...counts, problems }
  }
)

async function* importEntries(services: LibraryImporter, actor: Actor, path: string): AsyncGenerator<LibraryEntry> {
  const { uploadFolder } = services
  await mkdir(uploadFolder, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(uploadFolder, PREFIX))
  try {
    let current: SessionFiles | undefined
    for await (const file of readFiles(path)) {
      const list = LIST_NAMES.get(file.name)
      if (list) yield* readList(services, actor, list, file)
      if (!isOfSession(file.name)) continue
      const place = dirname(file.name)
      if (current && current.place !== place) yield await importSession(services, actor, current)
      if (current?.place !== place) current = await beginSession(folder, place)
      await take(services, current, file)
    }
    if (current) yield await importSession(services, actor, current)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function refuseFields(fields: object) {
  const [sent] = Object.entries(fields).find(([, value]) => value !== undefined) ?? []
  if (sent !== undefined)
    throw invalid({ field: sent, problem: 'a library is imported as it is', expected: 'it without this' })
}

/** Looks through the whole list of files first, so that a cut or a hostile archive changes nothing. */
async function requireLibrary(path: string) {
  let manifest: Manifest | undefined
  for await (const file of readFiles(path))
    if (file.name === MANIFEST) manifest = Manifest.safeParse(await readSmall(file, LIMITS.bodyBytes)).data
  if (manifest?.kind !== KIND)
    throw invalid({
      field: 'file',
      problem: 'The zip archive is no export of a Parlance library, or its manifest is damaged'
    })
}

async function* readFiles(path: string) {
  try {
    yield* readArchive(path)
  } catch (error) {
    throw error instanceof UnreadableArchive ? invalid({ field: 'file', problem: error.message }) : error
  }
}

async function readSmall(file: ArchiveFile, maxBytes: number) {
  const text = await file.readText(maxBytes)
  return readJson(Buffer.from(text), { maxValues: LIMITS.documentValues, repairsText: false })
}

async function* readList(
  services: LibraryImporter,
  actor: Actor,
  list: ImportedList,
  file: ArchiveFile
): AsyncGenerator<LibraryEntry> {
  try {
    const json = await readSmall(file, MAX_LIST_BYTES)
    for await (const problem of importList(services, actor, list, json)) yield { file: file.name, problem }
  } catch (error) {
    yield { file: file.name, problem: problemOf(error) }
  }
}

/** The files of one session, which are written to a folder of their own. */
interface SessionFiles {
  place: string
  folder: string
  problem: string | undefined
  names: Set<string>
}

function isOfSession(name: string) {
  const file = basename(name)
  return name.startsWith('sessions/') && (TEXTS.includes(file) || /^(?:audio|video)\.[a-z0-9]+$/.test(file))
}

async function beginSession(folder: string, place: string): Promise<SessionFiles> {
  const own = join(folder, 'session')
  await rm(own, { recursive: true, force: true })
  await mkdir(own, { mode: 0o700 })
  return { place, folder: own, problem: undefined, names: new Set() }
}

/** Writes a file of a session to the disk. Its name is one of ours. */
async function take({ diskReserve, uploadFolder }: LibraryImporter, session: SessionFiles, file: ArchiveFile) {
  const name = basename(file.name)
  const isRecording = recordingExtension(name) !== undefined
  const max = isRecording ? LIMITS.uploadBytes : LIMITS.documentBytes
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

async function importSession(services: LibraryImporter, actor: Actor, session: SessionFiles): Promise<LibraryEntry> {
  const { place: file, folder, names, problem } = session
  if (problem !== undefined) return { file, problem }
  try {
    if (!names.has('document.json')) return { file, problem: 'document.json is missing' }
    const read = async (name: string) =>
      await services.reader.readFile({ path: join(folder, name), name }, actor.userId)
    const entry = await read('document.json')
    if (!entry) return { file, problem: 'document.json is empty' }
    const original = names.has('original.json') ? (await read('original.json'))?.document.transcript : undefined
    const restored = names.has('state.json')
      ? { state: await readState(join(folder, 'state.json')), original }
      : undefined
    const imported = await importDocument(services, actor, { ...entry, isOurs: true, ...(restored && { restored }) })
    return { file, imported }
  } catch (error) {
    return { file, problem: problemOf(error) }
  }
}

/** The state is small: the transcripts of a session are in its other files. */
async function readState(path: string) {
  const bytes = await readFile(path)
  const json = readJson(bytes, { maxValues: LIMITS.documentValues, repairsText: false })
  return readShape(KeptState, json, 'body')
}

function problemOf(error: unknown) {
  if (error instanceof ApiError) return describeError(error, 'give')
  if (error instanceof UnreadableArchive) return error.message
  throw error
}
