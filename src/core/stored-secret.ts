import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDataDir } from './data-dir.ts'

/** The secret beside the embedded database, or undefined; with `create` made where there is none. */
export function storedSecret(dataDir: string, create: boolean) {
  const file = join(dataDir, 'secret.key')
  if (!create) return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  createDataDir(dataDir)
  try {
    // Fails where the file exists, so that of two processes starting at once both use the first one's.
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (fault) {
    if (!(fault instanceof Error && 'code' in fault && fault.code === 'EEXIST')) throw fault
  }
  return readFileSync(file, 'utf8')
}
