import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./create-program.ts', import.meta.url))
const MAX_WORDS = 2_000

/**
 * Creates the files of an embedded database, unless the folder has some. A process of its own does it, because that takes 400 MB that the
 * engine never gives back. The folder gets its name when it is complete, so a killed start leaves no half of a database.
 */
export async function createDatabase(directory: string) {
  if (existsSync(directory)) return
  const unfinished = `${directory}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  const child = fork(PROGRAM, [unfinished], {
    env: {},
    // Otherwise V8's compiler of WebAssembly takes up to 600 MB more.
    execArgv: ['--liftoff-only'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc']
  })
  let words = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-MAX_WORDS)
  })
  const [code, signal] = await once(child, 'close')
  if (code !== 0)
    throw new Error(`The embedded database could not be created (${signal ?? `exit ${code}`}): ${words.trim()}`)
  renameSync(unfinished, directory)
}
