import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { logged, pidsOf } from '../support/log.ts'
import { answersOf, samplesOf } from '../support/metrics.ts'
import {
  endOf,
  fileIn,
  freePort,
  migratedDatabase,
  newOwner,
  onPostgres,
  openPlace,
  type Place,
  readiness,
  run,
  runJson,
  type Serving,
  serve,
  start,
  temporaryFolder,
  until
} from '../support/process.ts'

const SLOW = { timeout: 240_000 }
const ENDED = 'worker ended; another is started'

function withWorkers(place: Place, more: Record<string, string> = {}): Place {
  return { ...place, environment: { ...place.environment, WORKERS: '2', ...more } }
}

async function samples(server: Serving) {
  return samplesOf(await (await fetch(`${server.adminUrl}/metrics`, { headers: { connection: 'close' } })).text())
}

function isAlive(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function times<T>(count: number, ask: () => Promise<T>) {
  return Promise.all(Array.from({ length: count }, ask))
}

describe.runIf(onPostgres)('two workers', () => {
  let place: Place
  let server: Serving
  const undo: (() => Promise<void>)[] = []
  beforeAll(async () => {
    place = withWorkers(await migratedDatabase(step => void undo.push(step)), { RATE_LIMIT_PER_MINUTE: '150' })
    server = await serve(place, step => void undo.push(step))
  }, 240_000)
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  test('serve the public port together, and /metrics tells what each has answered beside the process that started them', SLOW, async () => {
    const answers = await times(40, () => server.get('/v1/openapi.json'))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const text = await (await fetch(`${server.adminUrl}/metrics`)).text()
    const counts = Object.entries(answersOf(text)).filter(([labels]) => labels.includes('/v1/openapi.json'))
    expect(counts.map(([labels]) => labels)).toEqual([
      '{method="GET",route="/v1/openapi.json",status="2xx",worker="1"}',
      '{method="GET",route="/v1/openapi.json",status="2xx",worker="2"}'
    ])
    expect(counts.reduce((sum, [, count]) => sum + count, 0)).toBe(40)
    const all = samplesOf(text)
    expect(all.get('parlance_workers')).toBe(2)
    const resident = ['', '{worker="1"}', '{worker="2"}'].map(labels => all.get(`process_resident_memory_bytes${labels}`))
    expect(resident.every(bytes => Number(bytes) > 0)).toBe(true)
    expect([...text.matchAll(/^# TYPE process_resident_memory_bytes /gm)]).toHaveLength(1)
    expect([...all.keys()].filter(name => name.startsWith('parlance_jobs') && name.includes('worker='))).toEqual([])
  })

  test('admit exactly 150 of 300 requests at once with one token', SLOW, async () => {
    const owner = await newOwner(place)
    await until('the minute has some time left', () => Date.now() % 60_000 < 40_000)
    const statuses = (await times(300, () => server.get('/v1/account', owner.token))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([...Array(150).fill(200), ...Array(150).fill(429)])
  })

  test('refuse a token that was revoked with the next request, both of them', SLOW, async () => {
    const owner = await newOwner(place)
    const statuses = async () => new Set((await times(20, () => server.get('/v1/account', owner.token))).map(({ status }) => status))
    expect(await statuses()).toEqual(new Set([200]))
    await runJson(place, 'token', 'revoke', owner.tokenId)
    expect(await statuses()).toEqual(new Set([401]))
  })

  test('search by meaning, with vectors that the process which started them makes', SLOW, async () => {
    const owner = await newOwner(place)
    const file = fileIn(temporaryFolder(), 'a.txt', 'Ada: The invoice of the supplier has to be paid before the end of the month.')
    await runJson(place, 'import', '--user', owner.id, '--wait', file)
    await until('a search compares meaning', async () => {
      const reply = await fetch(`${server.url}/v1/sessions/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ query: 'money we owe to a vendor' })
      })
      // While the model is busy a search answers by words; asked too often it would be refused.
      await new Promise(wake => setTimeout(wake, 500))
      return reply.status === 200 && Object(await reply.json()).results[0]?.similarity > 0
    })
  })

  test('are replaced when they are killed, while the other serves on', SLOW, async () => {
    const [killed = 0, other = 0] = pidsOf(server)
    process.kill(killed, 'SIGKILL')
    await until('its end is known', () => logged(server, ENDED).length === 1)
    while (pidsOf(server)[0] === killed) {
      expect((await server.get('/v1/openapi.json')).status).toBe(200)
      // Fewer than the limit of an address.
      await new Promise(wake => setTimeout(wake, 400))
    }
    const [replacement, same] = pidsOf(server)
    expect(same).toBe(other)
    expect(isAlive(Number(replacement))).toBe(true)
    const told = await samples(server)
    expect([told.get('parlance_workers'), told.get('parlance_worker_deaths_total')]).toEqual([2, 1])
  })

  test('all dead, make the server unready; they are tried ever more slowly until they can start', SLOW, async () => {
    const name = new URL(place.url!).pathname.slice(1)
    const { pool } = await openPlace({ ...place, url: Object.assign(new URL(place.url!), { pathname: '/postgres' }).href })
    await pool.query(`alter database ${name} with allow_connections false`)
    const before = logged(server, ENDED).length
    for (const pid of pidsOf(server)) process.kill(pid, 'SIGKILL')
    const delays = () =>
      [1, 2].map(n =>
        logged(server, ENDED)
          .slice(before)
          .flatMap(line => (line.worker === n ? Number(line.againInMs) : []))
      )
    await until('each has been tried twice', () => delays().every(({ length }) => length >= 3), 150_000)
    for (const each of delays()) expect(each).toEqual([...new Set(each)].sort((a, b) => a - b))
    expect(await readiness(server.adminUrl)).toBe(503)
    expect((await fetch(`${server.adminUrl}/livez`)).status).toBe(200)
    await pool.query(`alter database ${name} with allow_connections true`)
    await until('both serve', async () => (await samples(server)).get('parlance_workers') === 2)
    await until('it is ready again', async () => (await readiness(server.adminUrl)) === 200)
    expect((await server.get('/v1/openapi.json')).status).toBe(200)
  })

  test('end when the process that started them is killed', SLOW, async () => {
    const pids = pidsOf(server)
    expect(pids.filter(isAlive)).toHaveLength(2)
    server.kill('SIGKILL')
    await until('they have ended', () => pids.every(pid => !isAlive(pid)))
    await expect(server.get('/v1/openapi.json')).rejects.toThrow()
  })
})

describe.runIf(onPostgres)('a server with workers', () => {
  test('told to stop, workers and all, finishes what is in flight and ends with 0', SLOW, async () => {
    const place = withWorkers(await migratedDatabase())
    const server = await serve(place)
    const owner = await newOwner(place)
    const blocker = await (await openPlace(place)).pool.connect()
    await blocker.query('begin; lock table users in access exclusive mode')
    const slow = times(6, () => server.get('/v1/account', owner.token))
    await until('all of them are in flight', async () => {
      const told = await samples(server)
      return [1, 2].reduce((sum, n) => sum + Number(told.get(`parlance_http_requests_in_flight{worker="${n}"}`)), 0) === 6
    })
    // As a service manager does, which knows all processes of a service.
    for (const pid of [...pidsOf(server), server.pid]) process.kill(pid, 'SIGTERM')
    await until('it is not ready', async () => (await readiness(server.adminUrl)) === 503)
    // Before who waits for the lock is refused.
    await blocker.query('commit')
    blocker.release(true)
    await until('it takes no more connections', () =>
      server
        .get('/v1/openapi.json')
        .then(() => false)
        .catch(() => true)
    )
    expect((await slow).map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(await endOf(server)).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(pidsOf(server).filter(isAlive)).toEqual([])
  })

  test('stops with one sentence and 1 when the public port is taken', SLOW, async () => {
    const place = withWorkers(await migratedDatabase(), { LOG_LEVEL: 'error' })
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as { port: number }
    const server = start({ ...place.environment, PORT: String(port), ADMIN_PORT: String(await freePort()) }, ['serve'])
    expect(await endOf(server, 120_000)).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `Failed: PORT: another process has port ${port} at 127.0.0.1; stop it, or choose another PORT\n`
    })
  })

  test.runIf(process.env.FAULTS === 'long')('kills a worker that does not answer, and starts another', { timeout: 180_000 }, async () => {
    const server = await serve(withWorkers(await migratedDatabase()))
    const [stopped = 0] = pidsOf(server)
    process.kill(stopped, 'SIGSTOP')
    await until('it is replaced', () => pidsOf(server)[0] !== stopped, 120_000)
    expect(isAlive(stopped)).toBe(false)
    expect(logged(server, 'worker does not answer and is killed')).toMatchObject([{ worker: 1 }])
  })
})

test.each([
  ['2', 'WORKERS: more than 1 needs DATABASE_URL; the embedded database is for one process\n'],
  ['0', 'WORKERS: send a whole number from 1 to 64\n'],
  ['65', 'WORKERS: send a whole number from 1 to 64\n']
])('WORKERS=%s with the embedded database stops the start with one sentence', SLOW, async (workers, stderr) => {
  const environment = { DATA_DIR: temporaryFolder(), WORKERS: workers }
  expect(await run({ environment }, 'serve')).toEqual({ code: 1, signal: null, stdout: '', stderr })
})
