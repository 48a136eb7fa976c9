import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDataDir } from './data-dir.ts'

/** The secret kept beside the embedded database; undefined where there is none, unless `create` makes one. */
export function storedSecret(dataDir: string, create: boolean) {
  const file = join(dataDir, 'secret.key')
  if (!create) return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  createDataDir(dataDir)
  try {
    // Fails where the file exists: of two processes that start at once, both use the first one's.
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return readFileSync(file, 'utf8')
}
