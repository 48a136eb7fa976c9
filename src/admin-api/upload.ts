import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS } from '../contract/limits.ts'
import { removeAbandoned } from '../core/abandoned.ts'
import { ApiError, invalid } from '../core/api-error.ts'
import { type Entry, readFileEntries } from '../ingest/files.ts'

/** The time a large recording takes on a slow connection. */
export const LONGEST_UPLOAD_MS = 3_600_000

const PREFIX = 'upload-'

/** Removes uploads of killed processes. Uploads in progress are younger. */
export async function removeAbandonedUploads(under: string, now: Date) {
  await removeAbandoned(under, PREFIX, new Date(now.getTime() - 2 * LONGEST_UPLOAD_MS))
}

/** Stores an upload under its file name and removes it after `use` has ended. */
export async function withUpload<T>(under: string, body: unknown, name: string, use: (entry: Entry) => Promise<T>): Promise<T> {
  if (!(body instanceof Readable)) throw invalid('Send the file as the body, with Content-Type: application/octet-stream')
  if (extname(name).toLowerCase() === '.jsonl') throw invalid('file: send each document of it in a request of its own')
  const folder = await mkdir(under, { recursive: true, mode: 0o700 })
    .then(() => mkdtemp(join(under, PREFIX)))
    .catch(cannotKeep)
  try {
    const path = join(folder, name)
    await pipeline(body, atMost(LIMITS.uploadBytes), createWriteStream(path)).catch(cannotKeep)
    for await (const read of readFileEntries(path)) {
      if ('error' in read) throw invalid(`file: ${read.error}`)
      return await use(read.entry)
    }
    throw invalid('file: there is nothing in it')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Most often a full disk, which may have room when the client tries again. */
function cannotKeep(error: unknown): never {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
  // The system's own message may contain the file name.
  const cause = new Error(`The file of an upload cannot be kept: ${error.syscall} ${error.code}`)
  throw new ApiError('service_unavailable', 'The file cannot be stored now; try again', { retryAfter: 30, cause })
}

function atMost(bytes: number) {
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen <= bytes) done(null, chunk)
      else done(new ApiError('invalid_request', `file: send at most ${bytes / 1024 ** 3} GiB`, { status: 413 }))
    }
  })
}
