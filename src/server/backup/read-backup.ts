import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Extract, extract } from 'tar-stream'
import { codeOf } from '../../platform/core/error-code.ts'
import { OperatorError } from '../../platform/core/operator-error.ts'
import { parseJson } from '../../platform/text/parse-json.ts'
import { MANIFEST, Manifest } from './manifest.ts'

/** The folder of a restore until it is whole. */
const PARTIAL = 'restore.partial'

/** A manifest names each file in about 150 bytes. */
const MAX_MANIFEST_BYTES = 2 ** 28

/** Longer than the names that a data directory has. */
const MAX_NAME = 512

/** An entry, with its bytes as a stream. */
type Entry = Extract extends AsyncIterable<infer One> ? One : never

/** The size and digest of a file, as it came last. */
type Found = Manifest['files'][string]

/**
 * Restores a backup into a data directory without a database. It gets its names only when every file of the manifest is there with its SHA-256, and the
 * database last, so an interrupted restore is started again. Throws an OperatorError for a file that is no whole backup, and for a folder with data.
 */
export async function readBackup(file: string, dataDir: string): Promise<Manifest> {
  const folder = join(dataDir, PARTIAL)
  await requireEmpty(dataDir)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  try {
    const manifest = await extractInto(file, folder)
    await addLedger(join(folder, 'deletions.jsonl'), join(dataDir, 'deletions.jsonl'))
    await rename(join(folder, 'media'), join(dataDir, 'media')).catch(unlessAbsent)
    await rename(join(folder, 'database'), join(dataDir, 'database'))
    return manifest
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function requireEmpty(dataDir: string) {
  for (const name of ['database', 'media']) {
    const entries = await readdir(join(dataDir, name)).catch((): string[] => [])
    if (entries.length > 0)
      throw new OperatorError(`${join(dataDir, name)} is not empty; name a new DATA_DIR, or move that folder away`)
  }
  // A folder that is empty would be in the way of the rename.
  for (const name of ['database', 'media']) await rm(join(dataDir, name), { recursive: true, force: true })
}

async function extractInto(file: string, folder: string): Promise<Manifest> {
  const found = new Map<string, Found>()
  let manifest: Manifest | undefined
  const entries = extract()
  const reading = pipeline(createReadStream(file, { highWaterMark: 2 ** 20 }), entries).catch((error: Error) => error)
  try {
    for await (const entry of entries) {
      const { name, type, size = 0 } = entry.header
      if (manifest) throw noBackup(file, `has ${name} after its end`)
      if (name === MANIFEST) manifest = await readManifest(file, entry, size)
      else if (type === 'directory') await mkdir(pathIn(file, folder, name), { recursive: true, mode: 0o700 })
      else if (type === 'file') found.set(name, await writeEntry(entry, pathIn(file, folder, name)))
      else throw noBackup(file, `has ${name}, which is no file`)
      entry.resume()
    }
  } catch (error) {
    if (error instanceof OperatorError || codeOf(error).startsWith('E')) throw error
    throw noBackup(file, 'is cut off or is no tar file')
  }
  const failed = await reading
  if (failed && codeOf(failed).startsWith('E')) throw new OperatorError(`${file} cannot be read (${codeOf(failed)})`)
  if (!manifest) throw noBackup(file, 'is cut off: its last entry is missing')
  await compare(file, folder, found, manifest)
  return manifest
}

async function compare(file: string, folder: string, found: Map<string, Found>, manifest: Manifest) {
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const read = found.get(name)
    if (read?.bytes !== bytes || read.sha256 !== sha256) throw noBackup(file, `is damaged: ${name} is not as it was`)
  }
  // They were gone when the backup was complete.
  for (const name of found.keys()) if (!(name in manifest.files)) await rm(join(folder, name))
}

async function readManifest(file: string, entry: Entry, size: number) {
  if (size > MAX_MANIFEST_BYTES) throw noBackup(file, 'has a manifest that is too large')
  const parts: Buffer[] = []
  for await (const part of bytesOf(entry)) parts.push(part)
  const { data } = Manifest.safeParse(parseJson(Buffer.concat(parts).toString('utf8')))
  if (!data) throw noBackup(file, 'has a manifest that this version cannot read; use the version that made it')
  return data
}

/** The path of an entry, which has to stay in the folder. */
function pathIn(file: string, folder: string, name: string) {
  const parts = name.replace(/\/$/, '').split('/')
  const isBelow = parts.every(part => part !== '' && part !== '.' && part !== '..' && !/[\\\0:]/.test(part))
  const isOurs = parts[0] === 'database' || parts[0] === 'media' || name === 'deletions.jsonl'
  if (!isBelow || !isOurs || name.length > MAX_NAME) throw noBackup(file, `has an entry that no backup has: ${name}`)
  return join(folder, ...parts)
}

async function writeEntry(entry: Entry, path: string): Promise<Found> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  const output = await open(path, 'w', 0o600)
  await pipeline(entry, source => hashed(source, hash), output.createWriteStream({ flush: true }))
  return { bytes: entry.header.size ?? 0, sha256: hash.digest('hex') }
}

async function* bytesOf(source: AsyncIterable<unknown>) {
  for await (const chunk of source) if (Buffer.isBuffer(chunk)) yield chunk
}

async function* hashed(source: AsyncIterable<unknown>, hash: Hash) {
  for await (const chunk of bytesOf(source)) {
    hash.update(chunk)
    yield chunk
  }
}

/** Adds the lines that the ledger of the data directory lacks. The newest has the deletions that a backup would bring back. */
async function addLedger(from: string, to: string) {
  const lines = (await readFile(from, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  const known = new Set((await readFile(to, 'utf8').catch(() => '')).split('\n'))
  const missing = lines.filter(line => !known.has(line))
  if (missing.length > 0) await appendFile(to, missing.map(line => `${line}\n`).join(''), { mode: 0o600 })
}

function unlessAbsent(error: unknown) {
  if (codeOf(error) !== 'ENOENT') throw error
}

function noBackup(file: string, reason: string) {
  return new OperatorError(`${file} ${reason}; nothing was restored`)
}
