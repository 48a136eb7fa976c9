import { constants } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '../../../platform/core/api-error.ts'
import { codeOf } from '../../../platform/core/error-code.ts'
import type { StoredFile } from '../../../platform/ports/reader.ts'
import { detectExtension, isOpenName, SNIFFED_BYTES } from '../check-recording.ts'
import { cannotKeep, storedName } from '../upload.ts'
import type { UploadRow } from './queries.ts'

type Named = Pick<UploadRow, 'userId' | 'uploadId' | 'name'>

/** The path of an upload's bytes. */
export function pathOf(partsFolder: string, { userId, uploadId, name }: Named) {
  return join(folderOf(partsFolder, userId, uploadId), storedName(name))
}

/** Creates the empty file of an upload. */
export async function createFile(partsFolder: string, upload: Named) {
  await mkdir(partsFolder, { recursive: true, mode: 0o700 })
    .then(() => mkdir(folderOf(partsFolder, upload.userId, upload.uploadId), { mode: 0o700 }))
    .then(() => writeFile(pathOf(partsFolder, upload), '', { mode: 0o600 }))
    .catch(cannotKeep)
}

/** Returns the number of bytes that have arrived. Throws service_unavailable if another server has them. */
export async function measureFile(partsFolder: string, upload: Named) {
  const found = await stat(pathOf(partsFolder, upload)).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') cannotKeep(error)
    throw new ApiError(
      'service_unavailable',
      'The parts of this upload are on another server: give the servers one DATA_DIR, or send each client to one of them'
    )
  })
  return found.size
}

export async function removeFiles(partsFolder: string, userId: string, uploadId: string) {
  await rm(folderOf(partsFolder, userId, uploadId), { recursive: true, force: true })
}

/** Returns a finished file, with the ending of what its first bytes are if its name doesn't tell. */
export async function nameByContent({ path, name }: StoredFile): Promise<StoredFile> {
  if (!isOpenName(name)) return { path, name }
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0)
  const extension = await detectExtension(buffer.subarray(0, bytesRead))
  if (extension === undefined) return { path, name }
  const named = `${path}.${extension}`
  await rm(named, { force: true })
  await link(path, named).catch(() => copyFile(path, named, constants.COPYFILE_FICLONE).catch(cannotKeep))
  return { path: named, name: `${name}.${extension}` }
}

/** The time after which a folder without a row is a leftover. A row is inserted right after its folder was made. */
const SETTLED_MS = 600_000

/** Removes the files of uploads for which `isOpen` returns false. */
export async function removeLeftoverFiles(
  partsFolder: string,
  now: Date,
  isOpen: (userId: string, uploadId: string) => Promise<boolean>
) {
  for (const name of await readdir(partsFolder).catch(() => [])) {
    const [userId = '', uploadId = ''] = name.split('.')
    const found = await stat(join(partsFolder, name)).catch(() => undefined)
    if (!found || now.getTime() - found.ctimeMs < SETTLED_MS || (await isOpen(userId, uploadId))) continue
    await rm(join(partsFolder, name), { recursive: true, force: true })
  }
}

function folderOf(partsFolder: string, userId: string, uploadId: string) {
  return join(partsFolder, `${userId}.${uploadId}`)
}
