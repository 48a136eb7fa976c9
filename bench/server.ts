import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The folder of this working tree. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const START_TIMEOUT_MS = 180_000

export interface Running {
  pid: number
  url: string
  /** The time from its start to its first answer, in milliseconds. */
  startedInMs: number
  stop(): Promise<void>
}

/** Limits that count every request and refuse none. */
const UNREACHED = {
  RATE_LIMIT_PER_MINUTE: '999999999',
  RATE_LIMIT_ASSISTANT_PER_MINUTE: '999999999',
  RATE_LIMIT_PER_DAY: '999999999'
}

/** Settings of the product, including the address or folder of its database. */
export type Where = Record<string, string>

interface StartOptions {
  /** The folder to which the server writes a CPU profile when it stops. */
  profileDir?: string | undefined
  /** The working tree whose server is started. Default: this one. */
  root?: string
}

/** Starts the product's server as in production. */
export async function startProduct(where: Where, { profileDir, root = ROOT }: StartOptions = {}): Promise<Running> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const profiling = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]
  const environment = {
    ...productEnvironment(where),
    ...UNREACHED,
    LOG_LEVEL: 'silent',
    PORT: String(port),
    ADMIN_PORT: String(adminPort)
  }
  const child = run([...profiling, '--liftoff-only', 'src/server/main.ts'], environment, { root })
  return await ready(child, `http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}/readyz`)
}

/** Starts a program of `peers` on the database. */
export async function startPeer(
  name: string,
  databaseUrl: string,
  settings: Record<string, string> = {}
): Promise<Running> {
  const port = await freePort()
  const words = [fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url))]
  const child = run(words, { ...settings, DATABASE_URL: databaseUrl, PORT: String(port) })
  return await ready(child, `http://127.0.0.1:${port}`, `http://127.0.0.1:${port}/`)
}

/** Starts a command of the product; the caller reads its standard output. */
export function startCommand(where: Where, ...words: string[]) {
  return run(['--liftoff-only', 'src/cli.ts', ...words], productEnvironment(where), { output: 'pipe' })
}

function productEnvironment(where: Where) {
  return { ...where, SECRET_KEY: 'a secret for benchmarks, and for nothing else' }
}

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill()
})

interface RunOptions {
  output?: 'inherit' | 'pipe'
  root?: string
}

function run(
  words: string[],
  environment: Record<string, string | undefined>,
  { output = 'inherit', root = ROOT }: RunOptions = {}
) {
  // The rest of the environment is left out, because settings of the caller must not change what is measured.
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', ...environment }
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', output, 'inherit'] })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

async function ready(child: ChildProcess, url: string, probe: string): Promise<Running> {
  const startedAt = performance.now()
  while (!(await answers(probe))) {
    if (child.exitCode !== null) throw new Error(`The server ended with code ${child.exitCode} while starting`)
    if (performance.now() - startedAt > START_TIMEOUT_MS) {
      child.kill()
      throw new Error('The server did not start within three minutes')
    }
    await new Promise(wake => setTimeout(wake, 50))
  }
  return {
    pid: child.pid ?? 0,
    url,
    startedInMs: performance.now() - startedAt,
    async stop() {
      const ended = once(child, 'exit')
      if (child.kill('SIGTERM')) await ended
    }
  }
}

/** Returns whether the server answers, except that it is not ready. */
async function answers(url: string) {
  const answer = await fetch(url).catch(() => undefined)
  await answer?.body?.cancel()
  return answer !== undefined && answer.status !== 503
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (typeof address !== 'object' || !address) throw new Error('There is no free port')
  return address.port
}
