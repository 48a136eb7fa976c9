import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../core/error-code.ts'
import { OperatorError } from '../core/operator-error.ts'
import { createDataDir } from './data-dir.ts'

export const MIN_SECRET_LENGTH = 32

/**
 * Returns the secret beside the embedded database. Without one, `create` makes it; otherwise the result is undefined. Throws an OperatorError
 * for an incomplete file, because an empty key would let everybody sign links.
 */
export function storedSecret(dataDir: string, create: boolean) {
  const file = join(dataDir, 'secret.key')
  if (create) {
    createDataDir(dataDir)
    createSecret(file)
  } else if (!existsSync(file)) return undefined
  const secret = readFileSync(file, 'utf8')
  if (secret.length >= MIN_SECRET_LENGTH) return secret
  throw new OperatorError(
    `${file} is cut off; restore it from your copy, or delete it if no server has run with this DATA_DIR yet`
  )
}

/** Keeps an existing file, so that two processes that start at once use the same secret. */
function createSecret(file: string) {
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    rmSync(file, { force: true })
    throw error
  }
}
