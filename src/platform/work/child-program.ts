import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { Readable } from 'node:stream'
import { codeOf } from '../core/error-code.ts'
import { sacrifice } from './sacrifice.ts'

/** A program that could not be run to a good end. `missing`: it is not installed. `stopped`: it took too long. */
export class ProgramFailure extends Error {
  override readonly name = 'ProgramFailure'
  readonly reason: 'missing' | 'failed' | 'stopped'

  constructor(program: string, reason: ProgramFailure['reason'], words = '') {
    super(`${program} ${reason}${words === '' ? '' : `: ${words}`}`)
    this.reason = reason
  }
}

/** The place of programs. */
export interface Programs {
  /** The folders, as in PATH. Undefined for those of the system. */
  programPath: string | undefined
}

interface Running extends Programs {
  timeoutMs: number
  signal?: AbortSignal
  /** The descriptor of an open file, which the program has as /dev/fd/3. */
  file?: number
  /** Gets each line of the output. */
  onLine?: (line: string) => void
  /** Gets the bytes that the program writes to /dev/fd/4. The program waits while a call has not ended. */
  onBytes?: (bytes: Buffer) => Promise<void> | void
  /** A program that writes more characters is killed, because what it reads may be made to let it write without end. */
  maxOutput?: number
}

const MAX_OUTPUT = 64 * 1024
const MAX_LINE = 8 * 1024
const MAX_WORDS = 500
/** Behind the server, which answers requests meanwhile. */
const PRIORITY = 10

/**
 * Runs a program of the path to its end: the one way to run a program that is not our own. It runs without a shell and without the settings
 * of the server, which hold secrets. It is killed at its time limit and when the signal aborts; then it rejects with the signal's reason.
 */
export async function runProgram(program: string, args: string[], running: Running) {
  const { programPath, timeoutMs, signal, file, onLine = () => {}, onBytes, maxOutput = MAX_OUTPUT } = running
  signal?.throwIfAborted()
  const child = spawn(program, args, {
    env: { PATH: programPath, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe', file ?? 'ignore', onBytes ? 'pipe' : 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL'
  })
  sacrifice(child)
  const kill = () => void child.kill('SIGKILL')
  signal?.addEventListener('abort', kill, { once: true })
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject).once('close', resolve)
  child.once('spawn', () => lowerPriority(child.pid))
  let words = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-MAX_WORDS)
  })
  const output = readLines(onLine, maxOutput)
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (!output.read(text)) kill()
  })
  const taken = onBytes ? takeBytes(child.stdio[4], onBytes).catch(cannotTake) : undefined
  let failure: unknown
  function cannotTake(error: unknown) {
    failure = error
    kill()
  }
  try {
    const code = await ended
    await taken
    signal?.throwIfAborted()
    if (failure !== undefined) throw failure
    if (output.isTooLong()) throw new ProgramFailure(program, 'failed', 'it wrote too much')
    if (code !== 0)
      throw new ProgramFailure(program, code === null ? 'stopped' : 'failed', words.replace(/\s+/g, ' ').trim())
    output.end()
  } catch (error) {
    throw codeOf(error) === 'ENOENT' ? new ProgramFailure(program, 'missing') : error
  } finally {
    signal?.removeEventListener('abort', kill)
  }
}

async function takeBytes(from: unknown, onBytes: NonNullable<Running['onBytes']>) {
  if (from instanceof Readable) for await (const bytes of from) await onBytes(bytes)
}

/** Cuts the pieces of an output into lines. `read` returns false once the output, or a line of it, is too long. */
function readLines(onLine: (line: string) => void, maxOutput: number) {
  let rest = ''
  let length = 0
  let isTooLong = false
  return {
    read(text: string) {
      length += text.length
      const lines = isTooLong ? [] : (rest + text).split('\n')
      rest = lines.pop() ?? ''
      isTooLong ||= length > maxOutput || [rest, ...lines].some(line => line.length > MAX_LINE)
      if (!isTooLong) for (const line of lines) onLine(line)
      return !isTooLong
    },
    isTooLong: () => isTooLong,
    end() {
      if (rest !== '') onLine(rest)
    }
  }
}

function lowerPriority(pid: number | undefined) {
  try {
    if (pid !== undefined) setPriority(pid, PRIORITY)
  } catch {
    // It has ended already.
  }
}
