import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/** The data directory cannot be used as it is; the message is a sentence for the operator. */
export class DataDirUnusable extends Error {}

/** Whatever in it others on the machine must not read: conversations, keys, and the way into the database. */
const PRIVATE = ['database', 'media', 'uploads', 'outbox', 'secret.key', 'deletions.jsonl', 'database.lock', '.s.PGSQL.5432']

/** The rights of the group and of all others. */
const OTHERS = 0o077

/** Creates the folder where it is missing and tries it. Its parent has to be there: to create that too, Node 24 spins for ever below /proc. */
export function createDataDir(dataDir: string) {
  try {
    mkdirSync(dataDir, { mode: 0o700 })
  } catch (fault) {
    const code = codeOf(fault)
    if (code !== 'EEXIST') throw unusable(CREATING[code]?.(dataDir) ?? `${dataDir} cannot be created (${code}); name another folder`, fault)
    if (!statSync(dataDir).isDirectory()) throw unusable(`${dataDir} is a file; name a folder`, fault)
  }
  for (const path of [dataDir, ...privateIn(dataDir)]) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK)
    } catch (fault) {
      throw unusable(USING[codeOf(fault)]?.(path) ?? `${path} cannot be used (${codeOf(fault)}); name another folder`, fault)
    }
  }
}

const mayNotCreate = (path: string) =>
  `the user ${userInfo().username} may not create ${path}; create it for that user, or name another folder`

const CREATING: Record<string, (path: string) => string> = {
  EACCES: mayNotCreate,
  EPERM: mayNotCreate,
  EROFS: path => `the disk that ${path} would be on is read-only; mount it writable, or name another folder`,
  ENOTDIR: path => `${path} is below a file; name a folder`
}

const USING: Record<string, (path: string) => string> = {
  EACCES: path => `the user ${userInfo().username} may not write to ${path}; run: chown -R ${userInfo().username} ${path}`,
  EROFS: path => `the disk of ${path} is read-only; mount it writable, or name another folder`
}

function unusable(reason: string, cause: unknown) {
  return new DataDirUnusable(`DATA_DIR: ${reason}`, { cause })
}

function codeOf(fault: unknown) {
  return fault instanceof Error && 'code' in fault ? String(fault.code) : ''
}

/** Takes the rights of all others from what is private, whatever a folder or a copy had before. A disk without rights keeps its own. */
export function protectDataDir(dataDir: string) {
  for (const path of listExposed(dataDir)) {
    try {
      chmodSync(path, statSync(path).mode & ~OTHERS)
    } catch {
      // Not every disk has rights, and not every file has to be this user's: `doctor` tells.
    }
  }
}

/** What is private, but others may read or write it. */
export function listExposed(dataDir: string) {
  return privateIn(dataDir).filter(path => (statSync(path).mode & OTHERS) !== 0)
}

function privateIn(dataDir: string) {
  return PRIVATE.map(name => join(dataDir, name)).filter(path => statSync(path, { throwIfNoEntry: false }))
}
