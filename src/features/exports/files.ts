import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ExportFormat } from '../../contract/export.ts'

interface Named {
  userId: string
  exportId: string
}

/** The path of an export's file below the folder of exports. */
export function fileKey({ userId, exportId, format }: Named & { format: ExportFormat }) {
  return join(`${userId}.${exportId}`, `library.${format}`)
}

/** Creates an empty folder for one attempt to write an export, in place of those of attempts before. */
export async function createAttempt(exportsFolder: string, { userId, exportId }: Named, attempt: string) {
  await removeFiles(exportsFolder, userId, exportId)
  const folder = join(exportsFolder, `${userId}.${exportId}.${attempt}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Makes the file of an attempt that of the export, removes the rest, and returns the bytes of the file. */
export async function keepFile(exportsFolder: string, path: string, row: Named & { format: ExportFormat }) {
  const to = join(exportsFolder, fileKey(row))
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await rename(path, to)
  await rm(dirname(path), { recursive: true, force: true })
  return (await stat(to)).size
}

/** Removes the file of an export, and what its attempts have left. */
export async function removeFiles(exportsFolder: string, userId: string, exportId: string) {
  for (const name of await readdir(exportsFolder).catch(() => []))
    if (name === `${userId}.${exportId}` || name.startsWith(`${userId}.${exportId}.`))
      await rm(join(exportsFolder, name), { recursive: true, force: true })
}

/** Removes the folders of exports for which `isKept` returns false. */
export async function removeLeftoverFiles(
  exportsFolder: string,
  isKept: (userId: string, exportId: string, isAttempt: boolean) => Promise<boolean>
) {
  for (const name of await readdir(exportsFolder).catch(() => [])) {
    const [userId = '', exportId = '', attempt] = name.split('.')
    if (!(await isKept(userId, exportId, attempt !== undefined)))
      await rm(join(exportsFolder, name), { recursive: true, force: true })
  }
}
