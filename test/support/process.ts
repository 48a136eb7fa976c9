import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { inject, onTestFinished, type TestContext } from 'vitest'
import { ALL_SCOPES, type Scope } from '../../src/contract/scopes.ts'
import { issueToken } from '../../src/features/access/tokens.ts'
import { newId } from '../../src/platform/core/ids.ts'
import type { OpenDatabase } from '../../src/platform/db/open.ts'
import { enterGroup } from './control-group.ts'
import { type Finally, temporaryFolder } from './folders.ts'
import { linkModel } from './models.ts'
import { openPatientDatabase } from './patient-database.ts'
import { addPlainUser } from './plain-user.ts'
import { serverPorts } from './ports.ts'
import { createClusterDatabase, createDatabase, databaseBeside, executeOn } from './template.ts'

export { afterFile, fileIn, temporaryFolder } from './folders.ts'
export { freePort, serverPorts } from './ports.ts'

/** True if this run of the tests is on a Postgres server; otherwise each database is an embedded one. */
export const onPostgres = 'url' in inject('database')

/** True if this run of the tests is on a Citus cluster. */
export const onCluster = (where => 'url' in where && where.workers.length > 0)(inject('database'))

/** Skips a test of clusters if this run has none. */
export function needCluster({ skip }: Pick<TestContext, 'skip'>) {
  skip(!onCluster, 'TEST_CITUS_URL names no coordinator of a Citus cluster')
}

/** Skips a test of a refusal that a cluster does not make: its nodes may trust each other, and its extension turns TLS on. */
export function needNoCluster({ skip }: Pick<TestContext, 'skip'>) {
  skip(onCluster, 'Nodes of a cluster may ask for no password, and Citus turns TLS on')
}

export type Environment = Record<string, string | undefined>

/** A database of its own, and the environment that makes the program use it. */
export interface Place {
  environment: Environment
  url: string | undefined
  dataDir: string
}

/** The environment of a program, and the source tree of another version of it. */
interface Settings {
  environment: Environment
  tree?: string
  /** The control group in which the server runs. */
  group?: string
}

/** Makes an empty embedded database in a new folder, or a new database on the Postgres of this run. */
export async function freshDatabase(finally_: Finally = onTestFinished): Promise<Place> {
  return await newDatabase(finally_)
}

/** Makes a database with the schema and no content, and the offline model in its data directory. */
export async function migratedDatabase(finally_: Finally = onTestFinished): Promise<Place> {
  return await newDatabase(finally_, inject('database').template)
}

/** Like `migratedDatabase`, but this process runs the engine, so that commands start none. Not for a test that starts a server. */
export async function heldDatabase(finally_: Finally = onTestFinished): Promise<Place> {
  const place = await migratedDatabase(finally_)
  await openPlace(place, { finally: finally_ })
  return place
}

let kept: Promise<{ place: Place; opened: OpenDatabase }> | undefined

/**
 * Returns a database with the schema and no content: one that this worker keeps and empties. It is ready in a fraction of the time of a
 * new one. For tests that keep the schema and start no process on it.
 */
export async function emptyDatabase(): Promise<Place> {
  kept ??= keepDatabase()
  const { place, opened } = await kept
  await opened.pool.query(`
    do $$ declare tables text; begin
      select string_agg(format('%I.%I', schemaname, tablename), ', ') into tables
      from pg_tables where schemaname = 'public' or schemaname = 'pgboss' and tablename like 'job%';
      execute 'truncate ' || tables || ' restart identity cascade';
    end $$`)
  return place
}

async function keepDatabase() {
  const place = await newDatabase(() => {}, inject('database').template)
  process.on('exit', () => rmSync(place.dataDir, { recursive: true, force: true }))
  const opened = await openPatientDatabase({
    ...place,
    share: true,
    name: 'parlance test',
    poolSize: 1,
    onError: () => {}
  })
  return { place, opened }
}

/** Makes an empty database on every node of the cluster, before its tables are distributed. */
export async function freshCluster(
  finally_: Finally = onTestFinished
): Promise<Place & { url: string; workers: string[] }> {
  const where = inject('database')
  if (!('url' in where)) throw new Error('There is no cluster')
  const name = randomName(where.prefix)
  const { address, workers } = await createClusterDatabase(where.url, name)
  finally_(() => dropOn([where.url, ...workers], name))
  return {
    ...placeOf(address, temporaryFolder(finally_)),
    url: address,
    workers: workers.map(worker => databaseBeside(worker, name))
  }
}

function randomName(prefix: string) {
  return `${prefix}${Math.random().toString(36).slice(2, 10)}`
}

function placeOf(url: string, dataDir: string): Place {
  const environment = { DATABASE_URL: url, DATA_DIR: dataDir, SECRET_KEY: 'a secret for tests, and for nothing else' }
  return { environment, url, dataDir }
}

/** Copies the template, if any. On Postgres the copy is dropped after the run. */
async function newDatabase(finally_: Finally, template?: string): Promise<Place> {
  const dataDir = temporaryFolder(finally_)
  const where = inject('database')
  if (template) await linkModel(dataDir)
  if (!('url' in where)) {
    if (template) cpSync(template, dataDir, { recursive: true })
    return { environment: { DATA_DIR: dataDir }, url: undefined, dataDir }
  }
  const name = randomName(where.prefix)
  // An empty database is on the coordinator only.
  const workers = template ? where.workers : []
  const url = await createDatabase(where.url, name, template, workers)
  // Each such database takes processor time of every node until it is dropped.
  if (workers.length > 0) finally_(() => dropOn([where.url, ...workers], name))
  return placeOf(url, dataDir)
}

async function dropOn(nodes: string[], name: string) {
  await Promise.all(nodes.map(node => executeOn(node, `drop database ${name} with (force)`)))
}

/** Opens the database of a place beside the programs that use it. */
export async function openPlace(
  { url, dataDir }: Place,
  options: { poolSize?: number; finally?: Finally } = {}
): Promise<OpenDatabase> {
  const opened = await openPatientDatabase({
    url,
    dataDir,
    share: true,
    name: 'parlance test',
    poolSize: options.poolSize ?? 2,
    onError: () => {}
  })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= opened.close())
  const undo = options.finally ?? onTestFinished
  undo(close)
  return { ...opened, close }
}

/** Returns the rows of one statement on the database of a place. */
export async function rowsOf(
  place: Place,
  statement: string,
  values: unknown[] = []
): Promise<Record<string, unknown>[]> {
  const opened = await openPlace(place)
  const { rows } = await opened.pool.query(statement, values).finally(() => opened.close())
  return rows
}

/** The output and exit of a process after its end. */
export interface Outcome {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Running {
  pid: number
  /** The output so far. */
  output: { stdout: string; stderr: string }
  ended: Promise<Outcome>
  kill(signal: NodeJS.Signals): void
}

const PROGRAM = 'src/cli.ts'

/**
 * Starts `parlance` with these words, in this environment only. The end of the test stops it at the latest.
 * `tree` is the source tree of the program, if it is another version.
 */
export function start(environment: Environment, words: string[], finally_: Finally = onTestFinished, tree = '.') {
  return startNode(environment, [join(tree, PROGRAM), ...words], finally_)
}

/** Starts `parlance` with these words in that folder, without settings. */
export function startIn(folder: string, ...words: string[]) {
  return startNode({}, [resolve(PROGRAM), ...words], onTestFinished, folder)
}

/** Starts Node with these arguments. */
export function startNode(
  environment: Environment,
  words: string[],
  finally_: Finally = onTestFinished,
  cwd = '.'
): Running {
  return startProgram([process.execPath, '--liftoff-only', ...words], environment, finally_, cwd)
}

/** Starts the program that the first word names. */
export function startProgram(
  words: [string, ...string[]],
  environment: Environment,
  finally_: Finally,
  cwd = '.'
): Running {
  const [program, ...rest] = words
  // Node keeps compiled code there, because a run starts a program hundreds of times.
  const NODE_COMPILE_CACHE = join(tmpdir(), 'parlance-compile-cache')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: tmpdir(), NODE_COMPILE_CACHE, ...environment }
  // Registered first, because it throws where the test is over, and then nobody would end the program.
  let end = async () => {}
  finally_(() => end())
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(program, rest, {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    output.stderr += text
  })
  // 'close' follows the last output, 'exit' may precede it.
  const ended = once(child, 'close').then(([code, signal]): Outcome => ({ code, signal, ...output }))
  end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { pid: child.pid!, output, ended, kill: signal => void child.kill(signal) }
}

/** Runs a command to its end. */
export async function run({ environment, tree }: Settings, ...words: string[]) {
  return await start(environment, words, onTestFinished, tree).ended
}

/** Runs a command with --json that has to succeed, and returns the printed values. */
export async function runJson(place: Settings, ...words: string[]) {
  const { code, stdout, stderr } = await run(place, ...words, '--json')
  if (code !== 0) throw new Error(`parlance ${words.join(' ')} ended with ${code}: ${stderr}`)
  return jsonLines(stdout)
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}

export interface Serving extends Running {
  url: string
  adminUrl: string
  /** Sends a GET with that token, on a connection of its own. */
  get(path: string, token?: string): Promise<{ status: number; body: unknown }>
}

/** Starts a server on free ports, or on the PORT of the environment, without waiting for it. */
export async function startServe(
  { environment, tree, group }: Settings,
  finally_: Finally = onTestFinished
): Promise<Serving> {
  const ports = await serverPorts(environment.PORT)
  const node = [process.execPath, '--liftoff-only', join(tree ?? '.', 'src/server/main.ts')] as const
  const words = group === undefined ? node : ([...enterGroup(group), ...node] as const)
  const running = startProgram([...words], { ...environment, ...ports }, finally_)
  const url = `http://127.0.0.1:${ports.PORT}`
  return {
    ...running,
    url,
    adminUrl: `http://127.0.0.1:${ports.ADMIN_PORT}`,
    get: (path, token) => get(`${url}${path}`, token)
  }
}

/** Starts `serve` on free ports and waits until it is ready. */
export async function serve(place: Settings, finally_: Finally = onTestFinished) {
  const serving = await startServe(place, finally_)
  await ready(serving)
  return serving
}

/** Returns the exit of a process that ends by itself. Fails if it keeps running. */
export async function endOf({ ended }: Running, withinMs = 120_000) {
  let outcome: Outcome | undefined
  void ended.then(result => {
    outcome = result
  })
  return await until('the process has ended', () => outcome, withinMs)
}

export async function ready({ adminUrl, output, ended }: Serving) {
  let over = false
  void ended.then(() => {
    over = true
  })
  await until(
    `the server is ready`,
    async () => {
      if (over) throw new Error(`The server ended while starting: ${output.stdout}${output.stderr}`)
      return (await readiness(adminUrl)) === 200
    },
    120_000
  )
}

/** Returns the status of /readyz. Undefined if nothing answers. */
export async function readiness(adminUrl: string) {
  return (await get(`${adminUrl}/readyz`).catch(() => undefined))?.status
}

async function get(url: string, token?: string) {
  const headers = { connection: 'close', ...(token && { authorization: `Bearer ${token}` }) }
  const reply = await fetch(url, { headers })
  const body = await reply.text()
  return { status: reply.status, body: body && JSON.parse(body) }
}

/** Repeats the question until its answer is truthy, and returns that. Fails after the time, by default two minutes. */
export async function until<T>(what: string, ask: () => T | Promise<T>, withinMs = 120_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs / 1_000} s in vain until ${what}`)
    await new Promise(wake => setTimeout(wake, 20))
  }
}

/** Deletes a session over HTTP, on a connection of its own. Returns the status. */
export async function deleteSession({ url }: Serving, token: string, sessionId: unknown) {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  return (await fetch(`${url}/v1/sessions/${sessionId}`, { method: 'DELETE', headers })).status
}

/** Adds a user with a token. */
export async function newOwner(place: Place, scopes: Scope[] = ALL_SCOPES) {
  const { db, close } = await openPlace(place)
  const [id, email, now] = [newId('usr'), `${newId('usr')}@example.test`, new Date()]
  await addPlainUser(db, id, { email, createdAt: now })
  const issued = await issueToken(db, id, 'test', scopes, now)
  await close()
  return { id, email, token: issued.token, tokenId: issued.id }
}
