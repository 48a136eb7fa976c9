import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { checkedKey, MediaError, type MediaStore } from './media.ts'

/** Keeps recordings as files below `root`, which is made when the first one comes. The server sends them itself. */
export function localMedia(root: string): MediaStore {
  const pathOf = (key: string) => join(root, checkedKey(key))

  return {
    put: (key, path) => told(root, () => writeWhole(path, pathOf(key))),
    withFile: (key, use) => told(root, async () => void (await access(pathOf(key), constants.R_OK))).then(() => use(pathOf(key))),
    delete: key => told(root, () => remove(pathOf(key))),
    check: () => told(root, () => tryOut(root)),
    close() {},
    source: { root }
  }
}

/** The bytes are on the disk before the name is: a reader finds the whole file or none. */
async function writeWhole(from: string, to: string) {
  const folder = dirname(to)
  const partial = partialOf(to)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const file = await open(partial, 'w', 0o600)
    await pipeline(createReadStream(from), file.createWriteStream({ flush: true }))
    await rename(partial, to)
    await syncFolder(folder)
    return (await stat(to)).size
  } catch (fault) {
    await remove(to)
    throw fault
  }
}

/** What a process that was killed while writing may have left; it goes when the recording is deleted. */
function partialOf(path: string) {
  return `${path}.partial`
}

async function syncFolder(folder: string) {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

async function remove(path: string) {
  await rm(partialOf(path), { force: true })
  await rm(path, { force: true })
  // The folder is the session's own. It stays while another recording is in it.
  await rmdir(dirname(path)).catch(() => {})
}

/** Makes nothing that is not there: whoever only looks at a configuration leaves no folders behind. */
async function tryOut(root: string) {
  const folder = await nearest(root)
  await access(folder, constants.W_OK | constants.X_OK)
  if (folder !== root) return `${root}, made when it is needed`
  const path = join(root, `check-${randomUUID()}`)
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile('check').finally(() => file.close())
  } finally {
    await rm(path, { force: true })
  }
  return root
}

/** The folder, or the closest one above that exists. */
async function nearest(folder: string): Promise<string> {
  try {
    await stat(folder)
    return folder
  } catch (fault) {
    const missing = fault instanceof Error && 'code' in fault && fault.code === 'ENOENT'
    if (!missing || dirname(folder) === folder) throw fault
    return await nearest(dirname(folder))
  }
}

/** Turns the system's refusals into sentences. */
async function told<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (fault) {
    if (fault instanceof MediaError) throw fault
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault'
    throw new MediaError(`${SYSTEM_FAULTS[code] ?? `The recording cannot be kept or read (${code})`}: ${root}`, { cause: fault })
  }
}

const NOT_WRITABLE = 'The folder of the recordings may not be written by this user'

const SYSTEM_FAULTS: Record<string, string> = {
  ENOSPC: 'The disk of the recordings is full',
  EDQUOT: 'The disk quota of the recordings is used up',
  EFBIG: 'The disk of the recordings takes no file that large',
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: 'The disk of the recordings is read-only',
  ENOTDIR: 'The folder of the recordings is no folder',
  ENOENT: 'The recording is not there'
}
