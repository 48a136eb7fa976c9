import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, link, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { codeOf } from '../../platform/core/error-code.ts'
import type { MediaStore } from '../../platform/ports/media-store.ts'
import type { DiskReserve } from '../../platform/work/disk-reserve.ts'
import { findExisting } from '../../platform/work/existing-folder.ts'
import { checkedKey, MediaError } from './store.ts'

/** Stores recordings as files below `root`, which is created with the first one. */
export function localMedia(root: string, diskReserve: DiskReserve): MediaStore {
  const pathOf = (key: string) => join(root, checkedKey(key))

  return {
    put: (key, path, _contentType, { isOurs = false } = {}) =>
      withMediaErrors(root, () =>
        writeWhole(path, pathOf(key), { isOurs, hasRoom: bytes => diskReserve.hasRoom(root, bytes) })
      ),
    withFile: (key, use) =>
      withMediaErrors(root, async () => void (await access(pathOf(key), constants.R_OK))).then(() => use(pathOf(key))),
    delete: key => withMediaErrors(root, () => remove(pathOf(key))),
    check: () => withMediaErrors(root, () => checkWritable(root)),
    close() {},
    source: { root }
  }
}

interface Writing {
  isOurs: boolean
  /** Returns whether the disk has room for a copy of these bytes. */
  hasRoom: (bytes: number) => Promise<boolean>
}

const ALMOST_FULL = 'The disk of the recordings is almost full: make room, or set DISK_RESERVE_MIB to less'

/** Syncs the bytes to the disk before it renames the file: a reader finds the whole file or none. */
async function writeWhole(from: string, to: string, { isOurs, hasRoom }: Writing) {
  const folder = dirname(to)
  const partial = partialOf(to)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    if (!isOurs || !(await linkWhole(from, partial))) {
      if (!(await hasRoom((await stat(from)).size))) throw new MediaError(ALMOST_FULL)
      await copyWhole(from, partial)
    }
    await rename(partial, to)
    await syncFolder(folder)
    return (await stat(to)).size
  } catch (error) {
    await remove(to)
    throw error
  }
}

async function copyWhole(from: string, to: string) {
  const file = await open(to, 'w', 0o600)
  await pipeline(createReadStream(from), file.createWriteStream({ flush: true }))
}

/** Gives a file a second name, which takes no time for large ones. Returns false where the disk cannot, such as across two. */
async function linkWhole(from: string, to: string) {
  await rm(to, { force: true })
  await using file = await open(from, 'r+')
  await file.sync()
  await file.chmod(0o600)
  return await link(from, to).then(
    () => true,
    () => false
  )
}

/** The file while it is written. A killed process may leave one; it is removed with the recording. */
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
  // The folders belong to the session and its owner, and stay while they hold another recording.
  await rmdir(dirname(path)).catch(() => {})
  await rmdir(dirname(dirname(path))).catch(() => {})
}

/** Writes a small file where the folder exists. Creates no folder, because a check should change nothing. */
async function checkWritable(root: string) {
  const folder = await findExisting(root)
  await access(folder, constants.W_OK | constants.X_OK)
  if (folder !== root) return `${root}, created with the first recording`
  const path = join(root, `check-${randomUUID()}`)
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile('check').finally(() => file.close())
  } finally {
    await rm(path, { force: true })
  }
  return root
}

/** Runs the operation and converts the errors of the file system to MediaErrors. */
async function withMediaErrors<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof MediaError) throw error
    const code = codeOf(error) || 'unknown error'
    throw new MediaError(`${SYSTEM_ERRORS[code] ?? `The recording cannot be kept or read (${code})`}: ${root}`, {
      cause: error
    })
  }
}

const NOT_WRITABLE = 'The folder of the recordings may not be written by this user'

const SYSTEM_ERRORS: Record<string, string> = {
  ENOSPC: 'The disk of the recordings is full',
  EDQUOT: 'The disk quota of the recordings is used up',
  EFBIG: 'The disk of the recordings cannot hold a file this large',
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: 'The disk of the recordings is read-only',
  ENOTDIR: 'The folder of the recordings is a file',
  ENOENT: 'The recording does not exist'
}
