import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS } from '../contract/limits.ts'
import { removeAbandoned } from '../core/abandoned.ts'
import { ApiError, invalid } from '../core/api-error.ts'
import { type Entry, readFileEntries } from '../ingest/files.ts'

/** As long as a large recording takes on a slow line. */
export const LONGEST_UPLOAD_MS = 3_600_000

const PREFIX = 'upload-'

/** Removes what a process that was killed has left. What another one is at is younger. */
export async function removeAbandonedUploads(under: string, now: Date) {
  await removeAbandoned(under, PREFIX, new Date(now.getTime() - 2 * LONGEST_UPLOAD_MS))
}

/** Reads what is uploaded as a file of that name, which is there until `use` has ended. */
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
      if ('fault' in read) throw invalid(`file: ${read.fault}`)
      return await use(read.entry)
    }
    throw invalid('file: there is nothing in it')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A full disk above all: it may have room again when the client comes back. */
function cannotKeep(fault: unknown): never {
  if (!(fault instanceof Error && 'syscall' in fault && 'code' in fault)) throw fault
  // The system's own words may have the name of the file.
  const cause = new Error(`The file of an upload cannot be kept: ${fault.syscall} ${fault.code}`)
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
