import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS } from '../../contract/limits.ts'
import { packDocument } from '../../contract/packed-document.ts'
import { recordingExtension } from '../../contract/recording.ts'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { codeOf } from '../../platform/core/error-code.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import type { PackedEntry, StoredFile } from '../../platform/ports/reader.ts'
import { removeAbandoned } from '../../platform/work/abandoned.ts'
import { openBudget } from '../../platform/work/budget.ts'
import type { Programs } from '../../platform/work/child-program.ts'
import { findRoom, limitsFor, refusalOf } from '../access/room.ts'
import { isArchiveName } from '../exports/manifest.ts'
import type { Needs } from '../services.ts'
import { detectExtension, isOpenName, SNIFFED_BYTES } from './check-recording.ts'
import { detached } from './detached.ts'
import { readFileEntries } from './files.ts'
import { findByExternalId } from './queries.ts'
import { UNTRANSCRIBED } from './recordings.ts'

export const PREFIX = 'upload-'

/** Removes uploads of killed processes. Uploads in progress are younger. */
export async function removeAbandonedUploads(under: string, now: Date) {
  await removeAbandoned(under, PREFIX, new Date(now.getTime() - 2 * LIMITS.uploadMs))
}

/** Removes every upload, which only a starting server may do that has the folder to itself. */
export async function removeAllUploads(under: string) {
  await rm(under, { recursive: true, force: true })
}

/** The places for uploads that arrive at once. */
export function openUploadBudget() {
  return openBudget(LIMITS.openUploads, 'Too many uploads are arriving at once; try again')
}

type Uploading = Needs<'db' | 'clock' | 'quotas' | 'uploadFolder' | 'diskReserve' | 'openUploads' | 'transcribes'>

export interface Upload extends AsyncDisposable {
  /**
   * Stores the file. A name that cannot be imported is refused before a byte is stored, and so is a
   * recording without room, unless a session has the external id already.
   */
  store(name: string, bytes: Readable, externalId?: string): Promise<StoredFile>
}

/**
 * The file of one upload of an actor, on disk until its disposal. `announcedBytes`: the file has at least as many; of a pair the recording has, and the
 * transcript is bounded as it arrives. Throws service_unavailable if too many arrive at once, or the disk is almost full.
 */
export function openUpload(
  services: Uploading,
  actor: Actor,
  announcedBytes: number,
  { takesPair = false } = {}
): Upload {
  const stack = new AsyncDisposableStack()
  stack.use(services.openUploads(actor.userId, 1))
  return {
    async store(sentName, sent, externalId) {
      const arriving = detached(sent)
      stack.defer(() => void arriving.destroy())
      const { name, bytes } = await detectRecording(sentName, arriving)
      refuseUnusable(services, name)
      const { bytes: max, refuse } = await findMaxBytes(services, actor, name, externalId)
      const announced = takesPair && recordingExtension(name) === undefined ? 0 : announcedBytes
      if (announced > max) throw await refuse()
      const { uploadFolder, diskReserve } = services
      await diskReserve.require(uploadFolder, announced).catch(cannotKeep)
      const folder = await createFolder(uploadFolder)
      stack.defer(() => rm(folder, { recursive: true, force: true }))
      const path = join(folder, storedName(name))
      await write(path, bytes, [atMost(max), diskReserve.guard(uploadFolder)]).catch(async error => {
        throw error instanceof TooLarge ? await refuse() : error
      })
      return { path, name }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync()
  }
}

/** The name of a file on our disk. A user's own may be too long for it, and errors of the system would name it. */
export function storedName(name: string) {
  const extension = recordingExtension(name)
  return extension === undefined ? 'file' : `file.${extension}`
}

/** A recording under a name that says nothing of it gets the ending of what its first bytes are. Any other file is left as it is. */
async function detectRecording(name: string, sent: Readable) {
  if (!isOpenName(name)) return { name, bytes: sent }
  const { first, bytes } = await peek(sent, SNIFFED_BYTES).catch(refuseUnstored)
  const extension = await detectExtension(first)
  return { name: extension === undefined ? name : `${name}.${extension}`, bytes }
}

/** Returns the first bytes of a stream, and a stream of all. */
async function peek(sent: Readable, length: number) {
  const chunks = sent.iterator({ destroyOnReturn: false })
  const seen: Buffer[] = []
  let next = await chunks.next()
  while (!next.done) {
    seen.push(next.value)
    if (totalLength(seen) >= length) break
    next = await chunks.next()
  }
  const first = Buffer.concat(seen)
  async function* all() {
    yield first
    yield* chunks
  }
  return { first, bytes: Readable.from(all(), { objectMode: false }) }
}

function totalLength(chunks: readonly Buffer[]) {
  return chunks.reduce((sum, { length }) => sum + length, 0)
}

/** Refuses a file that cannot be imported, by its name. */
export function refuseUnusable({ transcribes }: Needs<'transcribes'>, name: string) {
  if (!transcribes && recordingExtension(name) !== undefined) throw invalid({ field: 'file', problem: UNTRANSCRIBED })
}

/** The most bytes that the file may have, and the refusal of more: the limit of its kind, or what is left of the quota of recordings. */
async function findMaxBytes(services: Uploading, actor: Actor, name: string, externalId: string | undefined) {
  const isRecording = recordingExtension(name) !== undefined
  const bytes = isRecording || isArchiveName(name) ? LIMITS.uploadBytes : LIMITS.documentBytes
  if (!isRecording) return { bytes, refuse: async () => tooLarge(bytes) }
  const { db, clock } = services
  const taking = { limits: limitsFor(services, actor), now: clock.now(), field: 'file' }
  const room = await findRoom(db, actor.userId, 'bytes_stored', taking)
  const isRepeated = async () => externalId !== undefined && (await findByExternalId(db, actor.userId, externalId))
  return room < bytes && !(await isRepeated())
    ? { bytes: room, refuse: () => refusalOf(db, actor.userId, 'bytes_stored', taking) }
    : { bytes, refuse: async () => tooLarge(bytes) }
}

/** The most bytes of a file before its first bytes are known. */
export function bytesFor(name: string) {
  const isDocument = recordingExtension(name) === undefined && !isOpenName(name) && !isArchiveName(name)
  return isDocument ? LIMITS.documentBytes : LIMITS.uploadBytes
}

async function createFolder(uploadFolder: string) {
  return await mkdir(uploadFolder, { recursive: true, mode: 0o700 })
    .then(() => mkdtemp(join(uploadFolder, PREFIX)))
    .catch(cannotKeep)
}

/** Writes the bytes of a file to disk as they arrive, because recordings are large. */
async function write(path: string, bytes: Readable, limits: Transform[]) {
  await pipeline([bytes, ...limits, createWriteStream(path)]).catch(refuseUnstored)
}

function refuseUnstored(error: unknown): never {
  if (isCutOff(error)) throw invalid({ problem: 'The file did not arrive whole', expected: 'it again' })
  cannotKeep(error)
}

/** Reads the one conversation of a stored upload. The extension of its name determines the format. */
export async function readUpload(
  { reader, sound }: Needs<'reader' | 'sound'>,
  { userId }: Actor,
  file: StoredFile
): Promise<PackedEntry> {
  const isRecording = recordingExtension(file.path) !== undefined
  const entry = isRecording ? await readRecordingEntry(file, sound) : await reader.readFile(file, userId)
  return entry ?? throwEmpty()
}

/** The digest of a recording is computed here as its bytes are read, because that takes no memory, and long for large ones. */
async function readRecordingEntry({ path, name }: StoredFile, programs: Programs): Promise<PackedEntry | undefined> {
  for await (const read of readFileEntries(path, programs, { name })) {
    if ('error' in read) throw invalid({ field: 'file', problem: read.error })
    return { ...read.entry, document: packDocument(read.entry.document) }
  }
}

function throwEmpty(): never {
  throw invalid({ field: 'file', problem: 'it is empty', expected: 'a transcript or a recording' })
}

/** Returns whether the client ended the connection, or the body of its form, before the file was complete. */
export function isCutOff(error: unknown) {
  if (!(error instanceof Error)) return false
  return (
    ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(codeOf(error)) || error.message.includes('terminated early')
  )
}

/** Most often a full disk, which may have room when the client tries again. */
export function cannotKeep(error: unknown): never {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
  // The system's own message may contain the file name.
  const cause = new Error(`The file of an upload cannot be kept: ${error.syscall} ${error.code}`)
  throw new ApiError('service_unavailable', 'The file cannot be stored now; try again', { retryAfter: 30, cause })
}

/** More bytes have arrived than the file may have. */
export class TooLarge extends Error {}

/** A stream that passes at most as many bytes, and then fails as TooLarge. */
export function atMost(max: number) {
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen <= max) done(null, chunk)
      else done(new TooLarge())
    }
  })
}

export function tooLarge(max: number, field = 'file') {
  const size = max < 1024 ** 3 ? `${max / 1024 ** 2} MiB` : `${max / 1024 ** 3} GiB`
  return new ApiError('invalid_request', '', { field, expected: `at most ${size}`, status: 413 })
}
