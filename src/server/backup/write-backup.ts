import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Pack, pack } from 'tar-stream'
import { codeOf } from '../../platform/core/error-code.ts'
import { whileEngineRests } from '../../platform/db/embedded/rest.ts'
import { MANIFEST, type Manifest } from './manifest.ts'

/** Fast for large files, and few of them are in memory. */
const CHUNK_BYTES = 2 ** 20

/** A file that was written less than this before the copy may change again within the same tick of the clock of its disk. */
const TICK_MS = 2_000

interface Backup {
  dataDir: string
  socketDir: string
  file: string
  /** False if the recordings are not in the data directory, or not wanted. */
  withMedia: boolean
  describe: Omit<Manifest, 'files' | 'format' | 'version'>
}

/** The size and time of a file at its copy. */
interface Seen {
  bytes: number
  changedAt: number
}

/**
 * Writes a tar file of the data directory at one moment, while a server uses it. The files of the database are copied twice: first as they are, then,
 * while the engine rests, those that have changed since. Others wait for the second copy only. Readers take the last entry of a name.
 */
export async function writeBackup({ dataDir, socketDir, file, withMedia, describe }: Backup): Promise<Manifest> {
  const partial = `${file}.partial`
  const output = await open(partial, 'w', 0o600)
  try {
    const tar = pack({ highWaterMark: CHUNK_BYTES })
    const written = pipeline(tar, output.createWriteStream({ flush: true }))
    const manifest = await Promise.race([
      addAll(tar, { dataDir, socketDir, withMedia, describe }),
      // A full disk ends the writing, and nobody would take the next entry.
      written.then((): Manifest => ({ ...EMPTY, ...describe }))
    ])
    await written
    await rename(partial, file)
    return manifest
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

const EMPTY = { format: 'parlance-backup', version: 1, files: {} } as const

async function addAll(tar: Pack, { dataDir, socketDir, withMedia, describe }: Omit<Backup, 'file'>): Promise<Manifest> {
  const files: Manifest['files'] = {}
  const seen = new Map<string, Seen>()
  const startedAt = Date.now() - TICK_MS
  const add = async (name: string, handle?: FileHandle) => {
    const added = await addFile(tar, join(dataDir, name), name, handle)
    if (added) files[name] = added.content
    if (added) seen.set(name, added.seen)
  }

  const media = withMedia ? await listFiles(dataDir, 'media') : []
  for (const name of media) await add(name)
  for (const name of await listFiles(dataDir, 'database', tar)) await add(name)
  const added = await whileEngineRests(socketDir, async () => {
    const now = await listFiles(dataDir, 'database', tar)
    const present = new Set(now)
    for (const name of Object.keys(files)) if (name.startsWith('database/') && !present.has(name)) delete files[name]
    for (const name of now) if (await hasChanged(join(dataDir, name), seen.get(name), startedAt)) await add(name)
    // An open file can be read to its end, also if it is deleted after this moment.
    const later = withMedia ? (await listFiles(dataDir, 'media')).filter(name => !seen.has(name)) : []
    return await Promise.all(later.map(async name => ({ name, handle: await openFile(join(dataDir, name)) })))
  })
  for (const { name, handle } of added) if (handle) await add(name, handle)
  await add('deletions.jsonl')
  const manifest: Manifest = { ...EMPTY, ...describe, files }
  tar.entry({ name: MANIFEST, mode: 0o600 }, JSON.stringify(manifest))
  tar.finalize()
  return manifest
}

/** The files below a folder of the data directory. Folders become entries of the tar, because the engine needs its empty ones. */
async function listFiles(dataDir: string, folder: string, tar?: Pack): Promise<string[]> {
  const entries = await readdir(join(dataDir, folder), { withFileTypes: true }).catch(absent)
  if (entries.length === 0) tar?.entry({ name: `${folder}/`, type: 'directory', mode: 0o700 })
  const found: string[] = []
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await listFiles(dataDir, name, tar)))
    // A recording gets its name when it is whole.
    else if (entry.isFile() && !(folder.startsWith('media') && name.endsWith('.partial'))) found.push(name)
  }
  return found
}

/** Folders and files of a running server come and go. */
function absent(error: unknown): [] {
  if (codeOf(error) !== 'ENOENT') throw error
  return []
}

async function hasChanged(path: string, seen: Seen | undefined, startedAt: number) {
  if (!seen) return true
  const { size, mtimeMs } = await stat(path)
  return size !== seen.bytes || mtimeMs !== seen.changedAt || mtimeMs >= startedAt
}

async function openFile(path: string) {
  return await open(path, 'r').catch((error: unknown) => void absent(error))
}

/** Adds a file of the size that it has at this moment. Undefined if it is gone. */
async function addFile(tar: Pack, path: string, name: string, opened?: FileHandle) {
  const handle = opened ?? (await openFile(path))
  if (!handle) return undefined
  try {
    const { size, mtimeMs, mtime } = await handle.stat()
    const hash = createHash('sha256')
    await pipeline(readChunks(handle, size, hash), tar.entry({ name, size, mtime, mode: 0o600 }))
    return { content: { bytes: size, sha256: hash.digest('hex') }, seen: { bytes: size, changedAt: mtimeMs } }
  } finally {
    await handle.close()
  }
}

async function* readChunks(handle: FileHandle, size: number, hash: Hash) {
  for (let position = 0; position < size; position += CHUNK_BYTES) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - position))
    // A file that the engine cuts meanwhile ends with zeros here, and is copied again.
    await handle.read(chunk, 0, chunk.length, position)
    hash.update(chunk)
    yield chunk
  }
}
