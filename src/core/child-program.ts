import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { codeOf } from './error-code.ts'

/** A program that could not be run to a good end. `missing`: it is not installed. `stopped`: it took too long. */
export class ProgramFailure extends Error {
  override readonly name = 'ProgramFailure'
  readonly reason: 'missing' | 'failed' | 'stopped'

  constructor(program: string, reason: ProgramFailure['reason'], words = '') {
    super(`${program} ${reason}${words === '' ? '' : `: ${words}`}`)
    this.reason = reason
  }
}

interface Running {
  /** The folders where the program is found, as in PATH. */
  programPath: string | undefined
  timeoutMs: number
  signal: AbortSignal
  /** Gets each line of the output. */
  onLine?: (line: string) => void
}

const MAX_WORDS = 500
/** Behind the server, which answers requests meanwhile. */
const PRIORITY = 10

/**
 * Runs a program of the path to its end, without a shell and without the settings of the server, which hold secrets. It is killed at its time
 * limit and when the signal aborts; then it rejects with the signal's reason.
 */
export async function runProgram(program: string, args: string[], { programPath, timeoutMs, signal, onLine }: Running) {
  signal.throwIfAborted()
  const child = spawn(program, args, {
    env: { PATH: programPath, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL'
  })
  const kill = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject).once('close', resolve)
  child.once('spawn', () => lowerPriority(child.pid))
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-MAX_WORDS)
  })
  const lines = createInterface({ input: child.stdout })
  lines.on('line', line => onLine?.(line))
  try {
    const code = await ended
    signal.throwIfAborted()
    if (code !== 0)
      throw new ProgramFailure(program, code === null ? 'stopped' : 'failed', words.replace(/\s+/g, ' ').trim())
  } catch (error) {
    throw codeOf(error) === 'ENOENT' ? new ProgramFailure(program, 'missing') : error
  } finally {
    signal.removeEventListener('abort', kill)
    lines.close()
  }
}

function lowerPriority(pid: number | undefined) {
  try {
    if (pid !== undefined) setPriority(pid, PRIORITY)
  } catch {
    // It has ended already.
  }
}
