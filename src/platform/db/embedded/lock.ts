import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/**
 * Takes the lock of an embedded data directory, or returns undefined if another process has it.
 * Two engines on one directory silently lose each other's writes. SQLite's file lock is the operating system's
 * own: it works between containers and on every platform, and a killed process cannot leave it behind.
 */
export function takeLock(path: string) {
  // SQLite gives its journal the permissions of the file.
  closeSync(openSync(path, 'a', 0o600))
  const file = new DatabaseSync(path)
  try {
    file.exec('pragma locking_mode = exclusive; begin exclusive')
    return { release: () => file.close() }
  } catch (error) {
    file.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined
    throw error
  }
}
