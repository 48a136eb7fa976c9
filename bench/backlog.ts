import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseUrl, recreateDatabase } from './database.ts'
import { createUser, runCommand, seconds, temporaryDirectory } from './import.ts'
import { cpuOf } from './proc.ts'
import { type Outcome, plainFigure } from './result.ts'
import { startProduct, type Where } from './server.ts'
import { rounded } from './table.ts'

const DATABASE = 'parlance_bench_backlog'
const SESSIONS = 1_000
const POLL_EVERY_MS = 200

/** Processes a backlog of short sessions that were imported while no server ran, once on each database. */
export async function measureBacklogs(): Promise<Outcome> {
  const directory = temporaryDirectory()
  const file = join(directory, 'short.jsonl')
  writeFileSync(file, Array.from({ length: SESSIONS }, (_, n) => `${JSON.stringify(shortSession(n))}\n`).join(''))
  const embedded = await measureBacklog('embedded', { DATA_DIR: join(directory, 'data') }, file)
  await recreateDatabase(DATABASE)
  const postgres = await measureBacklog('postgres', { DATABASE_URL: databaseUrl(DATABASE) }, file)
  return { tables: [[embedded, postgres]], figures: [backlogFigure(embedded), backlogFigure(postgres)] }
}

function backlogFigure({
  backlog,
  seconds: took,
  'a second': rate,
  'CPU s': cpu
}: Awaited<ReturnType<typeof measureBacklog>>) {
  const measured = `${took} s, ${rate} a second, ${cpu} s of CPU`
  return plainFigure(`backlog of ${SESSIONS} short imports, ${backlog}`, measured, took, { atMost: 90, unit: ' s' })
}

async function measureBacklog(name: string, where: Where, file: string) {
  // The first start creates the tables, which the commands need.
  await (await startProduct(where)).stop()
  await createUser(where)
  const ofUser = ['--user', 'bench@example.com']
  const { token } = JSON.parse(
    await runCommand(where, 'token', 'create', ...ofUser, '--name', 'bench', '--scopes', 'all', '--json')
  )
  await runCommand(where, 'import', ...ofUser, file)
  const server = await startProduct(where)
  const startedAt = performance.now()
  try {
    const url = `${server.url}/v1/sessions?status=processing&limit=1`
    for (;;) {
      const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
      const { sessions } = (await reply.json()) as { sessions: unknown[] }
      if (sessions.length === 0) break
      await new Promise(wake => setTimeout(wake, POLL_EVERY_MS))
    }
    const took = (performance.now() - startedAt) / 1_000
    return {
      backlog: name,
      sessions: SESSIONS,
      seconds: rounded(took, 1),
      'a second': rounded(SESSIONS / took, 1),
      'CPU s': seconds(cpuOf(server.pid))
    }
  } finally {
    await server.stop()
  }
}

function shortSession(n: number) {
  const said = [`We met about item ${n}.`, `I will send the numbers of item ${n} by Friday.`, 'Thanks, that is all.']
  return {
    title: `Item ${n}`,
    external_id: `short ${n}`,
    segments: said.map((text, at) => ({
      speaker: at % 2 === 0 ? 'Ada' : 'Grace',
      start: at * 4,
      end: at * 4 + 3,
      text
    }))
  }
}
