// @module-tag both
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { convertMeetings } from '../../bench/qmsum.ts'
import { readArchive } from '../../src/features/exports/archive-reader.ts'
import { makeSessions } from '../support/made-sessions.ts'
import {
  endOf,
  freePort,
  migratedDatabase,
  newOwner,
  type Place,
  run,
  runJson,
  type Serving,
  serve,
  start,
  temporaryFolder,
  until
} from '../support/process.ts'
import { LONG, report, UNLIMITED } from './load.ts'

/** FAULTS=long has the sessions of a large library; ARCHIVE_SESSIONS sets another number. QMSUM names a folder whose meetings are added. */
const SESSIONS = Number(process.env.ARCHIVE_SESSIONS ?? (LONG ? 10_000 : 300))
const { QMSUM } = process.env
const SLOW = { timeout: LONG ? 7_200_000 : 600_000 }
/** The longest time for which an export or import may hold up other requests. */
const HELD_MS = 100

/** A server that keeps its port when it starts again, and whose event loop is watched. */
async function watchedPlace() {
  const fresh = await migratedDatabase()
  const loop = join(temporaryFolder(), 'loop')
  const environment = {
    ...fresh.environment,
    ...UNLIMITED,
    PORT: String(await freePort()),
    // Both sides would spend most of the time on the same embeddings.
    EMBEDDING_MODEL: 'none',
    QUOTA_SESSIONS_PER_DAY: '1000000',
    LOOP_WATCH: loop,
    NODE_OPTIONS: `--import ${join(process.cwd(), 'test/support/loop-watch.ts')}`
  }
  return { place: { ...fresh, environment }, loop }
}

/** Asks as another user all the time, and returns the slowest answer and the longest that the loop was held. */
async function whileAsking<T>(server: Serving, token: string, loop: string, run: () => Promise<T>) {
  writeFileSync(loop, '')
  let asking = true
  const took: number[] = []
  const asker = (async () => {
    while (asking) {
      const startedAt = performance.now()
      const { status } = await server.get('/v1/sessions?limit=1', token).catch(() => ({ status: 0 }))
      if (status === 200) took.push(performance.now() - startedAt)
      await wait(50)
    }
  })()
  const startedAt = performance.now()
  const value = await run()
  const seconds = (performance.now() - startedAt) / 1_000
  asking = false
  await asker
  const held = readFileSync(loop, 'utf8')
    .split('\n')
    .map(Number)
    .toSorted((a, b) => b - a)
  const sorted = took.toSorted((a, b) => b - a)
  const measured = {
    seconds: Math.round(seconds),
    loopMs: Math.round(held[0] ?? 0),
    slowestMs: Math.round(sorted[0] ?? 0),
    p99Ms: Math.round(sorted[Math.floor(sorted.length / 100)] ?? 0),
    asked: took.length
  }
  return { value, measured }
}

function memoryOf({ pid }: Serving) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return { nowMb: Math.round(kilobytes('VmRSS') / 1024), peakMb: Math.round(kilobytes('VmHWM') / 1024) }
}

/** What two archives of one library have in common: a digest of each session without ids and times of the server, and the lists. */
async function contentsOf(path: string) {
  const sessions = new Map<string, string>()
  const lists = new Map<string, object[]>()
  for await (const file of readArchive(path)) {
    const name = file.name.split('/').at(-1)!
    if (
      ![
        'document.json',
        'state.json',
        'original.json',
        'transcript.vtt',
        'folders.json',
        'people.json',
        'terms.json'
      ].includes(name)
    )
      continue
    const text = await file.readText(64 * 1024 ** 2)
    if (name === file.name) lists.set(name, JSON.parse(text).map(withoutIds))
    else {
      const title = file.name.split('/')[2]!.replace(/-ses_\w+$/, '')
      const content = name.endsWith('.json') ? JSON.stringify(withoutIds(JSON.parse(text))) : text
      sessions.set(`${title}/${name}`, createHash('sha256').update(content).digest('hex'))
    }
  }
  return { sessions, lists }
}

const OF_SERVER = ['id', 'external_id', 'created_at', 'updated_at', 'last_opened_at', 'session_count']

function withoutIds(value: object) {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !OF_SERVER.includes(key)))
}

async function exported({ environment }: Place, server: Serving, token: string) {
  const path = join(temporaryFolder(), 'library.zip')
  const words = ['export', '--url', server.url, '--token', token, '--out', path]
  const running = start({ ...environment, NODE_OPTIONS: undefined }, words)
  return { path, running }
}

test(
  `${SESSIONS} sessions leave a server and come into another as they were, over kills, while others hardly wait`,
  SLOW,
  async () => {
    const from = await watchedPlace()
    const owner = await newOwner(from.place)
    const guest = await newOwner(from.place)
    await makeSessions(from.place, owner.id, SESSIONS)
    let server = await serve(from.place)
    const plain = { environment: { ...from.place.environment, NODE_OPTIONS: undefined } }
    if (QMSUM) {
      const meetings = join(temporaryFolder(), 'qmsum.jsonl')
      convertMeetings(QMSUM, meetings)
      await runJson(plain, 'import', '--user', owner.id, '--folder', 'Meetings', '--wait', meetings)
    }

    const broken = await exported(from.place, server, owner.token)
    await until('an export is being written', async () => {
      const { body } = await server.get('/v1/exports', owner.token)
      return (body as { exports: { sessions_done: number }[] }).exports[0]?.sessions_done
    })
    server.kill('SIGKILL')
    await server.ended
    expect((await endOf(broken.running)).code).toBe(1)
    server = await serve(from.place)
    const before = memoryOf(server)
    const { value: path, measured: exporting } = await whileAsking(server, guest.token, from.loop, async () => {
      const { path, running } = await exported(from.place, server, owner.token)
      expect(await endOf(running, SLOW.timeout)).toMatchObject({ code: 0 })
      return path
    })
    report(`export: ${JSON.stringify({ sessions: SESSIONS, ...exporting, before, after: memoryOf(server) })}`)
    expect(await run(plain, 'verify', path)).toMatchObject({ code: 0 })
    expect(exporting.loopMs).toBeLessThanOrEqual(HELD_MS)

    const to = await watchedPlace()
    const [taker, other] = [await newOwner(to.place), await newOwner(to.place)]
    let target = await serve(to.place)
    const words = ['import', '--url', target.url, '--token', taker.token, '--wait', path]
    const importing = start({ ...to.place.environment, NODE_OPTIONS: undefined }, words)
    await until('some have come', async () => {
      const { body } = await target.get('/v1/sessions?limit=100', taker.token)
      return (body as { sessions: object[] }).sessions.length >= 20
    })
    target.kill('SIGKILL')
    await target.ended
    target = await serve(to.place)
    const { value: end, measured } = await whileAsking(target, other.token, to.loop, () =>
      endOf(importing, SLOW.timeout)
    )
    report(`import: ${JSON.stringify({ sessions: SESSIONS, ...measured, memory: memoryOf(target) })}`)
    expect(end).toMatchObject({ code: 0, stderr: '' })
    expect(measured.loopMs).toBeLessThanOrEqual(HELD_MS)

    const again = await exported(to.place, target, taker.token)
    expect(await endOf(again.running, SLOW.timeout)).toMatchObject({ code: 0 })
    const [wanted, found] = [await contentsOf(path), await contentsOf(again.path)]
    expect(found.sessions.size).toBe(wanted.sessions.size)
    expect([...wanted.sessions].filter(([name, digest]) => found.sessions.get(name) !== digest)).toEqual([])
    expect(found.lists).toEqual(wanted.lists)
  }
)
