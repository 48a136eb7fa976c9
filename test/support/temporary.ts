import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const NAME = /^parlance-tests-(\d+)$/
/** Several times the space that a run uses at once. */
const ROOM = 4 * 2 ** 30

/**
 * Lets tests write into memory if there is room, unless TMPDIR names a folder. They make and delete folders of a thousand files by the
 * hundred. A disk's file system scans all recently deleted files to place a new one, which took a fifth of the processor
 * time of a run.
 */
export default function keepInMemory() {
  if (process.env.TMPDIR || !existsSync(MEMORY)) return
  // Removes the folders of killed runs.
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1]
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(MEMORY, name), { recursive: true, force: true })
  }
  const { bavail, bsize } = statfsSync(MEMORY)
  if (bavail * bsize < ROOM || freemem() < 2 * ROOM) return
  const folder = join(MEMORY, `parlance-tests-${process.pid}`)
  // A cluster that runs as another user must be able to enter the folder.
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
