import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS } from '../contract/limits.ts'
import { ApiError, invalid } from '../core/api-error.ts'
import { type Entry, readFileEntries } from '../ingest/files.ts'

/** Reads what is uploaded as a file of that name, which is there until `use` has ended. */
export async function withUpload<T>(body: unknown, name: string, use: (entry: Entry) => Promise<T>): Promise<T> {
  if (!(body instanceof Readable)) throw invalid('Send the file as the body, with Content-Type: application/octet-stream')
  if (extname(name).toLowerCase() === '.jsonl') throw invalid('file: send each document of it in a request of its own')
  const folder = await mkdtemp(join(tmpdir(), 'parlance-upload-'))
  try {
    const path = join(folder, name)
    await pipeline(body, atMost(LIMITS.uploadBytes), createWriteStream(path))
    for await (const read of readFileEntries(path)) {
      if ('fault' in read) throw invalid(`file: ${read.fault}`)
      return await use(read.entry)
    }
    throw invalid('file: there is nothing in it')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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
