import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { DiskReserve } from '../../platform/work/disk-reserve.ts'
import { SUMS } from './manifest.ts'
import { createZip, openCollected } from './zip-writer.ts'

/** An archive that keeps the digest of each of its files. */
export type ZipArchive = Awaited<ReturnType<typeof createArchive>>

/** The bytes after which the room of the disk is measured again. */
const MEASURED_EVERY = 8 * 1024 ** 2

/** Creates an archive in a folder, which leaves the reserve of the disk alone. */
export async function createArchive(folder: string, { at, diskReserve }: { at: Date; diskReserve: DiskReserve }) {
  await using opened = new AsyncDisposableStack()
  const zip = opened.use(await createZip(folder, at))
  const sums = opened.use(await openCollected(join(folder, 'sums')))
  const held = opened.move()
  let files = 0
  let measuredAt = Number.NEGATIVE_INFINITY

  async function requireRoom(bytes: number) {
    if (zip.size + bytes - measuredAt < MEASURED_EVERY) return
    measuredAt = zip.size
    await diskReserve.require(folder, bytes)
  }

  async function note(name: string, digest: string) {
    files++
    await sums.add(Buffer.from(`${digest}  ${name}\n`))
  }

  async function addUnlisted(name: string, content: Buffer) {
    await requireRoom(content.length)
    await zip.add(name, content)
  }

  return {
    path: zip.path,
    get files() {
      return files
    },
    async add(name: string, content: string | Buffer) {
      const bytes = Buffer.from(content)
      await addUnlisted(name, bytes)
      await note(name, hash('sha256', bytes))
    },
    async addFile(name: string, path: string, bytes: number) {
      await requireRoom(bytes)
      const digest = createHash('sha256')
      await zip.addStream(name, bytes, hashed(createReadStream(path), digest))
      await note(name, digest.digest('hex'))
    },
    /** Adds the list of digests, and returns its own. */
    async addSums() {
      const digest = createHash('sha256')
      await requireRoom(sums.size)
      await zip.addStream(SUMS, sums.size, hashed(sums.read(), digest))
      return digest.digest('hex')
    },
    /** Adds a file whose digest is not listed. */
    addUnlisted,
    finish: () => zip.finish(),
    [Symbol.asyncDispose]: () => held.disposeAsync()
  }
}

async function* hashed(chunks: AsyncIterable<Buffer>, digest: ReturnType<typeof createHash>) {
  for await (const chunk of chunks) {
    digest.update(chunk)
    yield chunk
  }
}
