import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { codeOf } from '../core/error-code.ts'
import { OperatorError } from '../core/operator-error.ts'

/** Entries that other users of the machine must not read: conversations, keys, and the database's socket. */
const PRIVATE = [
  'database',
  'media',
  'uploads',
  'sound',
  'parts',
  'exports',
  'outbox',
  'secret.key',
  'deletions.jsonl',
  'database.lock',
  'database.lock-journal',
  '.s.PGSQL.5432'
]

/** The permission bits of the group and of all others. */
const OTHERS = 0o077

/** Creates the folder where it is missing. The parent must exist: a recursive mkdir below /proc never returns in Node 24. */
export function createDataDir(dataDir: string) {
  try {
    mkdirSync(dataDir, { mode: 0o700 })
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EEXIST')
      throw unusable(CREATING[code]?.(dataDir) ?? `${dataDir} cannot be created (${code}); name another folder`, error)
    if (!statSync(dataDir).isDirectory()) throw unusable(`${dataDir} is a file; name a folder`, error)
  }
  requireWritable(dataDir)
}

/** Checks that the folder and its private entries can be read and written. */
export function requireWritable(dataDir: string) {
  for (const path of [dataDir, ...privateIn(dataDir)]) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK)
    } catch (error) {
      throw unusable(
        USING[codeOf(error)]?.(path) ?? `${path} cannot be used (${codeOf(error)}); name another folder`,
        error
      )
    }
  }
}

/** Refuses the folder of another user. Without read access it would look empty, and root would leave files that its owner cannot use. */
export function requireOwnDataDir(dataDir: string) {
  const found = statSync(dataDir, { throwIfNoEntry: false })
  const userId = process.getuid?.()
  if (!found?.isDirectory() || found.uid === userId) return
  if (userId !== 0 && canRead(dataDir)) return
  throw new OperatorError(`DATA_DIR: ${dataDir} belongs to the user with the id ${found.uid}; run this as that user`)
}

function canRead(path: string) {
  try {
    accessSync(path, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The user of this process in words, and for `chown`. A container may run as a user that has no name. */
function user() {
  try {
    const { username } = userInfo()
    return { name: `user ${username}`, owner: username }
  } catch {
    const id = process.getuid?.()
    return { name: `user with the id ${id}`, owner: String(id) }
  }
}

const mayNotCreate = (path: string) =>
  `the ${user().name} may not create ${path}; create it for that user, or name another folder`

const CREATING: Record<string, (path: string) => string> = {
  EACCES: mayNotCreate,
  EPERM: mayNotCreate,
  EROFS: path => `the disk that ${path} would be on is read-only; mount it writable, or name another folder`,
  ENOTDIR: path => `${path} is below a file; name a folder`
}

const USING: Record<string, (path: string) => string> = {
  EACCES: path => `the ${user().name} may not write to ${path}; run: chown -R ${user().owner} ${path}`,
  EROFS: path => `the disk of ${path} is read-only; mount it writable, or name another folder`
}

function unusable(reason: string, cause: unknown) {
  return new OperatorError(`DATA_DIR: ${reason}`, { cause })
}

/** Removes the permissions of other users from private entries. A file system without permissions is left as it is. */
export function protectDataDir(dataDir: string) {
  for (const path of listExposed(dataDir)) {
    try {
      chmodSync(path, statSync(path).mode & ~OTHERS)
    } catch {
      // The file system may have no permissions, or the file another owner; `doctor` reports it.
    }
  }
}

/** Private entries that other users may read or write. */
export function listExposed(dataDir: string) {
  return privateIn(dataDir).filter(path => (statSync(path).mode & OTHERS) !== 0)
}

function privateIn(dataDir: string) {
  return PRIVATE.map(name => join(dataDir, name)).filter(path => existsSync(path))
}
