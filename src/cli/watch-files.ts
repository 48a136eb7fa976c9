import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { recordingExtension } from '../contract/recording.ts'
import { codeOf } from '../platform/core/error-code.ts'

/** Folders of a watched folder that its files end in, and the one of the command's own. */
export const DONE = 'done'
export const FAILED = 'failed'
export const OWN = '.parlance'

/** A document without its recording may have come before it. */
const LONE_DOCUMENT_FACTOR = 6

/** Names of files that are being written: of rsync, Syncthing, browsers, Nextcloud, editors and office programs; and what systems leave in folders. */
const TEMPORARY =
  /^[.~@$]|~$|\.(?:part|partial|filepart|tmp|temp|crdownload|download|opdownload|aria2|swp|lock)$|^(?:thumbs\.db|desktop\.ini|system volume information)$/i

interface File {
  /** The path below the watched folder, with slashes. */
  path: string
  bytes: number
  changedAt: number
}

/** Files that are one conversation: a file, and the document beside a recording. */
export interface Arrival {
  file: File
  document?: File
}

/** Returns whether the file is still as it was found. */
export async function isUnchanged(folder: string, { path, bytes, changedAt }: File) {
  const now = await stat(join(folder, path)).catch(() => undefined)
  return now?.size === bytes && now.mtimeMs === changedAt
}

/**
 * Watches a folder by reading it again and again, because SMB and NFS report no changes. A call returns the arrivals that have rested: their size and time
 * were the same for `restMs` on the clock of this process.
 */
export function openWatch(folder: string, restMs: number) {
  let known = new Map<string, File & { since: number }>()
  return async (): Promise<Arrival[]> => {
    const now = performance.now()
    const found = await listFiles(folder, '')
    known = new Map(
      found.map(file => {
        const before = known.get(file.path)
        const same = before?.bytes === file.bytes && before.changedAt === file.changedAt
        return [file.path, { ...file, since: same ? before.since : now }]
      })
    )
    const rests = ({ path }: File, ms = restMs) => now - (known.get(path)?.since ?? now) >= ms
    const documents = new Map(found.filter(isDocument).map(file => [stemOf(file.path), file]))
    const recorded = new Set(found.filter(isRecording).map(({ path }) => stemOf(path)))
    return found.flatMap((file): Arrival[] => {
      if (isDocument(file))
        return !recorded.has(stemOf(file.path)) && rests(file, LONE_DOCUMENT_FACTOR * restMs) ? [{ file }] : []
      const document = isRecording(file) ? documents.get(stemOf(file.path)) : undefined
      if (!rests(file) || (document && !rests(document))) return []
      return [{ file, ...(document && { document }) }]
    })
  }
}

/** The files that may be conversations. Empty ones are left: a program has made their names and not yet written. */
async function listFiles(folder: string, below: string): Promise<File[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(error => {
    // A folder below may be removed at any moment; the watched one may not.
    if (below !== '' && codeOf(error) === 'ENOENT') return []
    throw error
  })
  const found: File[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (TEMPORARY.test(entry.name) || (below === '' && [DONE, FAILED].includes(entry.name))) continue
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await listFiles(folder, path)))
    if (!entry.isFile()) continue
    const about = await stat(join(folder, path)).catch(() => undefined)
    if (about && about.size > 0) found.push({ path, bytes: about.size, changedAt: about.mtimeMs })
  }
  return found
}

function isDocument({ path }: File) {
  return /\.json$/i.test(path)
}

function isRecording({ path }: File) {
  return recordingExtension(path) !== undefined
}

function stemOf(path: string) {
  return path.slice(0, path.lastIndexOf('.'))
}

/** The folders of a session: each folder on the way to its file. */
export function foldersOf({ file }: Arrival) {
  return file.path.split('/').slice(0, -1)
}
