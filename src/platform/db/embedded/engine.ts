import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createDataDir, protectDataDir } from '../../config/data-dir.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { takeLock } from './lock.ts'
import { maintain } from './maintenance.ts'
import { runEngine } from './process.ts'

/** Unix socket paths end at 107 bytes on Linux, earlier elsewhere. */
const LONGEST_SOCKET_PATH = 100

/** The time that a stopping owner of the engine waits for commands that use it. */
const GUESTS_MS = 10_000

/** The owner of the engine may be starting on a busy machine, or about to end. */
const START_TIMEOUT_MS = 30_000

/** The longest time of a timer of Node. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A way to the embedded database: the folder of its socket, as the `host` of a connection. */
export interface Engine {
  socketDir: string
  /** True if this process runs the engine. Otherwise it uses the engine of another process. */
  owned: boolean
  /** Settles with the engine's last message if the engine ends without being closed. Nothing can be served then. */
  lost: Promise<string>
  /** If this process runs the engine, waits at most `waitMs` milliseconds for its guests to finish. */
  close(waitMs?: number): Promise<void>
}

/**
 * Starts the embedded database of a data directory. With `share`, uses the socket of the process that already runs it. Throws an
 * OperatorError when neither is possible.
 */
export async function openEngine(dataDir: string, share: boolean): Promise<Engine> {
  createDataDir(dataDir)
  const socketDir = socketDirOf(realpathSync(dataDir))
  const deadline = Date.now() + START_TIMEOUT_MS
  do {
    const lock = takeLock(join(dataDir, 'database.lock'))
    if (lock) {
      try {
        const engine = await startEngine(join(dataDir, 'database'), socketDir, lock.release)
        protectDataDir(dataDir)
        return { socketDir, owned: true, ...engine }
      } catch (error) {
        lock.release()
        throw error
      }
    }
    if (!share)
      throw new OperatorError(
        `Another process has the database in ${dataDir} open; stop it, or choose another DATA_DIR`
      )
    // Stays connected, because a stopping owner waits for its guests.
    const presence = await reach(join(socketDir, '.s.PGSQL.5432'))
    if (presence) {
      return { socketDir, owned: false, lost: new Promise(() => {}), close: async () => void presence.destroy() }
    }
    await new Promise(wake => setTimeout(wake, 200))
  } while (Date.now() < deadline)
  throw new OperatorError(
    `Another process has the database in ${dataDir} open but does not answer; stop it, or choose another DATA_DIR`
  )
}

/**
 * Starts the embedded database of a data directory for this process alone: nobody else finds its socket, nothing is vacuumed, and a transaction may
 * rest for as long as it likes. Throws an OperatorError if another process has the database open.
 */
export async function openEngineAlone(dataDir: string): Promise<Engine> {
  const lock = takeLock(join(dataDir, 'database.lock'))
  if (!lock)
    throw new OperatorError(`Another process has the database in ${dataDir} open; stop the server, then try again`)
  const socketDir = mkdtempSync(join(tmpdir(), 'parlance-'))
  const files = { directory: join(dataDir, 'database'), socketPath: join(socketDir, '.s.PGSQL.5432') }
  const leave = () => {
    rmSync(socketDir, { recursive: true, force: true })
    lock.release()
  }
  try {
    const engine = await runEngine({ ...files, idleTransactionMs: LONGEST_TIMER_MS })
    return { socketDir, owned: true, lost: engine.lost, close: async () => void (await engine.close(0).finally(leave)) }
  } catch (error) {
    leave()
    throw error
  }
}

/** The folder of the socket: the data directory, or if its path is too long, a folder of this user in the temporary folder. */
function socketDirOf(dataDir: string) {
  if (Buffer.byteLength(join(dataDir, '.s.PGSQL.5432')) <= LONGEST_SOCKET_PATH) return dataDir
  const short = join(tmpdir(), `parlance-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
  mkdirSync(short, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(short)
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
    throw new OperatorError(
      `Others on this machine may write to ${short}, the folder of the database's socket; remove it, or choose a DATA_DIR with a shorter path`
    )
  return short
}

async function startEngine(directory: string, socketDir: string, release: () => void) {
  const engine = await runEngine({ directory, socketPath: join(socketDir, '.s.PGSQL.5432') })
  const maintenance = maintain(socketDir)
  return {
    lost: engine.lost,
    async close(waitMs = GUESTS_MS) {
      await maintenance.stop()
      await engine.close(waitMs)
      if (dirname(directory) !== socketDir) rmSync(socketDir, { recursive: true, force: true })
      release()
    }
  }
}

/** Connects to the server without keeping this process alive. Returns undefined if none accepts the connection. */
function reach(socketPath: string) {
  return new Promise<Socket | undefined>(resolve => {
    const socket = connect(socketPath, () => resolve(socket.unref())).on('error', () => resolve(undefined))
  })
}
