import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { removeAbandoned } from '../../../platform/work/abandoned.ts'

const PREFIX = 'sound-'
const DAY_MS = 86_400_000

/** The folders of this machine begin with its name, because several machines may share the folder. */
const machine = () => `${PREFIX}${hostname().replace(/[^\w]/g, '_')}-`

/** A folder for the sound of one recording, which is removed with its disposal. */
export async function createWorkFolder(under: string): Promise<AsyncDisposable & { path: string }> {
  await mkdir(under, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(under, `${machine()}${process.pid}-`))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Removes the folders of a process that had the id of this one, which only a starting server may do. */
export async function removeOwnSound(under: string) {
  const names = await readdir(under).catch(() => [])
  for (const name of names.filter(name => name.startsWith(`${machine()}${process.pid}-`)))
    await rm(join(under, name), { recursive: true, force: true })
}

/** Removes the folders of killed processes: those of this machine at once, those of others when they are a day old. */
export async function removeAbandonedSound(under: string, now: Date) {
  const names = await readdir(under).catch(() => [])
  for (const name of names.filter(name => name.startsWith(machine()))) {
    const [pid] = name.slice(machine().length).split('-')
    if (!isRunning(Number(pid))) await rm(join(under, name), { recursive: true, force: true })
  }
  await removeAbandoned(under, PREFIX, new Date(now.getTime() - DAY_MS))
}

function isRunning(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
