import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { databaseUrl, recreateDatabase } from './database.ts'
import { percentile } from './load.ts'
import { cpuOf, peakMemoryOf } from './proc.ts'
import { convertMeetings } from './qmsum.ts'
import { type Outcome, plainFigure } from './result.ts'
import { type Running, startCommand, startProduct, type Where } from './server.ts'
import { rounded } from './table.ts'

const DATABASE = 'parlance_bench_import'
const EMAIL = 'bench@example.com'
const POLL_EVERY_MS = 100

/** Imports all meetings through the command beside a running server, once on each database. */
export async function measureImports(folder: string): Promise<Outcome> {
  const directory = temporaryDirectory()
  const file = join(directory, 'meetings.jsonl')
  const meetings = convertMeetings(folder, file)
  const embedded = await measureImport('embedded', { DATA_DIR: join(directory, 'data') }, file, meetings)
  await recreateDatabase(DATABASE)
  const postgres = await measureImport('postgres', { DATABASE_URL: databaseUrl(DATABASE) }, file, meetings)
  return { tables: [[embedded, postgres]], figures: [importFigure(embedded, 15), importFigure(postgres, 12)] }
}

function importFigure(row: Awaited<ReturnType<typeof measureImport>>, atMost: number) {
  const cpu = rounded(((row['server CPU s'] + row['command CPU s']) / row.meetings) * 1_000)
  const measured = `${row.minutes} min, ${row.completed} of ${row.meetings}, ${cpu} ms of CPU each; lists meanwhile at the right`
  const latency = `${row['list p50 ms']} / ${row['list p95 ms']}`
  return plainFigure(`import of QMSum, ${row.import}`, measured, row.minutes, { atMost, unit: ' min' }, latency)
}

export function temporaryDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'parlance-bench-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export async function measureImport(name: string, where: Where, file: string, meetings: number) {
  // The first start creates the tables, which the command needs.
  await (await startProduct(where)).stop()
  await createUser(where)
  const { token } = JSON.parse(
    await runCommand(where, 'token', 'create', '--user', EMAIL, '--name', 'bench', '--scopes', 'all', '--json')
  )
  const server = await startProduct(where)
  console.log(`Importing ${meetings} meetings: ${name} …`)
  try {
    const startedAt = Date.now()
    const polling = pollSessions(server, token)
    const command = await importFile(where, file)
    const minutes = (Date.now() - startedAt) / 60_000
    const { latencies, refused } = await polling.stop()
    return {
      import: name,
      minutes: rounded(minutes, 2),
      meetings,
      completed: command.completed,
      'list p50 ms': rounded(percentile(latencies, 0.5), 1),
      'list p95 ms': rounded(percentile(latencies, 0.95), 1),
      'list p99 ms': rounded(percentile(latencies, 0.99), 1),
      polls: latencies.length,
      'non-2xx': refused,
      'server MiB': mebibytes(peakMemoryOf(server.pid)),
      'command MiB': mebibytes(command.memory),
      'server CPU s': seconds(cpuOf(server.pid)),
      'command CPU s': seconds(command.cpu)
    }
  } finally {
    await server.stop()
  }
}

export async function createUser(where: Where) {
  await runCommand(where, 'user', 'create', '--email', EMAIL, '--json')
}

export async function importFile(where: Where, ...files: string[]) {
  const child = startCommand(where, 'import', '--user', EMAIL, '--wait', '--json', ...files)
  const pid = child.pid ?? 0
  let memory: number | undefined
  let cpu: number | undefined
  const watch = setInterval(() => {
    memory = peakMemoryOf(pid) ?? memory
    cpu = cpuOf(pid) ?? cpu
  }, POLL_EVERY_MS)
  const [printed] = await Promise.all([child.stdout ? text(child.stdout) : '', once(child, 'exit')])
  clearInterval(watch)
  const outcomes = printed
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  return { completed: outcomes.filter(({ status }) => status === 'completed').length, memory, cpu }
}

/** Requests the list ten times a second, even while an answer is late, as an open client does. */
function pollSessions({ url }: Running, token: string) {
  const latencies: number[] = []
  let refused = 0
  const asked = new Set<Promise<void>>()

  async function ask() {
    const from = performance.now()
    const answer = await fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${token}` } }).catch(
      () => undefined
    )
    await answer?.text()
    latencies.push(performance.now() - from)
    if (!answer?.ok) refused++
  }

  const timer = setInterval(() => {
    const asking = ask().finally(() => asked.delete(asking))
    asked.add(asking)
  }, POLL_EVERY_MS)

  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(asked)
      return { latencies: latencies.sort((a, b) => a - b), refused }
    }
  }
}

export async function runCommand(where: Where, ...words: string[]) {
  const child = startCommand(where, ...words)
  const [printed, [code]] = await Promise.all([child.stdout ? text(child.stdout) : '', once(child, 'exit')])
  if (code !== 0) throw new Error(`parlance ${words[0]} ${words[1]} failed`)
  return printed
}

function mebibytes(bytes: number | undefined) {
  return rounded((bytes ?? Number.NaN) / 2 ** 20)
}

export function seconds(microseconds: number | undefined) {
  return rounded((microseconds ?? Number.NaN) / 1e6)
}
