import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Environment, type Running, startProgram, temporaryFolder, until } from './process.ts'

/** Native code looks up names and writes files as well, so the calls of all threads are recorded where they reach the system. */
const TRACE = [
  '-D',
  '-f',
  '--seccomp-bpf',
  '-s',
  '4096',
  '-e',
  'trace=connect,sendto,sendmsg,sendmmsg,open,openat,creat,mkdir,mkdirat'
]

/** Why no program can be traced here. */
export const cannotTrace =
  spawnSync('strace', [...TRACE, '-o', '/dev/null', 'true']).status === 0
    ? undefined
    : 'strace is missing, or may not trace'

export interface Traced extends Running {
  dataDir: string
  environment: Environment
  /** What the program did outside its data folder and its cache of compiled code until its end: peers it addressed, and files it wrote or tried to write. */
  footprint(): Promise<{ code: number | null; peers: string[]; written: string[]; left: string[] }>
}

/** Starts Node with these arguments, an empty HOME and an empty TMPDIR, and records what it does. */
export function startTraced(dataDir: string, words: string[], environment: Environment = {}): Traced {
  const [home, temporary, log] = [temporaryFolder(), temporaryFolder(), join(temporaryFolder(), 'trace')]
  const settings = { DATA_DIR: dataDir, ...environment }
  const own = { HOME: home, TMPDIR: temporary, NODE_COMPILE_CACHE: undefined, ...settings }
  const program = ['strace', ...TRACE, '-o', log, process.execPath, '--liftoff-only', ...words] as const
  const running = startProgram([...program], own, onTestFinished)

  async function footprint() {
    const { code } = await running.ended
    // strace is detached, so it may write the last lines after the program has ended.
    const calls = await until('the trace is complete', () => {
      const text = readFileSync(log, 'utf8')
      return text.match(new RegExp(`^${running.pid} +\\+\\+\\+ `, 'm')) && text.split('\n')
    })
    return {
      code,
      peers: unique(calls.flatMap(peerOf)).filter(peer => !peer.startsWith(dataDir)),
      written: unique(calls.flatMap(writtenBy)).filter(
        path => ![DEVICE, CACHE].some(place => place.test(path)) && !path.startsWith(dataDir)
      ),
      left: [home, temporary].flatMap(folder => readdirSync(folder))
    }
  }
  return { ...running, dataDir, environment: settings, footprint }
}

/** Files of the system itself. Of these, only `/dev/shm` keeps what is written. */
const DEVICE = /^\/(proc|dev\/(?!shm\/))/

/** The compiled code of the program, in its own installation, and the folders above it. */
const CACHE = new RegExp(`^${resolve('node_modules/.cache')}(?:/parlance(?:/|$)|$)`)

const unique = (values: string[]) => [...new Set(values)]

/** The address in a call that connects or sends: `127.0.0.1:53`, or the path of a socket. */
function peerOf(call: string) {
  const internet = /sin6?_port=htons\((\d+)\).*?inet_(?:addr\(|pton\(AF_INET6, )"([^"]+)"/.exec(call)
  if (internet) return [`${internet[2]}:${internet[1]}`]
  return /sun_path=@?"([^"]+)"/.exec(call)?.[1] ?? []
}

/** The path in a call that creates a file or folder, or opens a file to write. */
function writtenBy(call: string) {
  const path = /^\d+ +(?:open|openat|creat|mkdir|mkdirat)\((?:AT_FDCWD, )?"([^"]+)"/.exec(call)?.[1]
  return path && /O_(CREAT|WRONLY|RDWR)|^\d+ +(creat|mkdir)/.test(call) ? [resolve(path)] : []
}
