import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  afterFile,
  fileIn,
  migratedDatabase,
  newOwner,
  onPostgres,
  readiness,
  runJson,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'

const SLOW = { timeout: 300_000 }
const AT = '2026-05-04T13:00:00.000Z'

/** What a program does that connects to the socket of the embedded database, as psql and pg_dump can. */
const VISITS = {
  'empties the search path, as pg_dump does': "select pg_catalog.set_config('search_path', '', false)",
  'sets a time zone': "set timezone to 'Asia/Tokyo'",
  'sets another style of dates': 'set datestyle to german',
  'takes a role without rights': 'set role visitor',
  'becomes a role without rights': 'set session authorization visitor',
  'makes a temporary table with the name of ours': 'create temporary table sessions (n int)',
  'forbids itself to write': 'set session characteristics as transaction read only',
  'sets an isolation level': 'set session characteristics as transaction isolation level serializable',
  'deallocates every statement': 'deallocate all',
  'discards everything': 'discard all',
  'quotes and escapes otherwise':
    "set standard_conforming_strings to off; set quote_all_identifiers to on; set bytea_output to 'escape'"
}

const finally_ = afterFile()

async function startServer() {
  const place = await migratedDatabase(finally_)
  const unlimited = { RATE_LIMIT_PER_MINUTE: '100000' }
  const server = await serve({ environment: { ...place.environment, ...unlimited } }, finally_)
  const { token, email } = await newOwner(place)
  const talk = fileIn(temporaryFolder(), 'talk.txt', 'Ada: The budget is too small.')
  await runJson(place, 'import', '--user', email, '--wait', '--at', AT, talk)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  /** What a client sees of a list, a search and a change. */
  async function use() {
    const ask = async (method: string, path: string, sent?: unknown) => {
      const reply = await fetch(server.url + path, { method, headers, ...(sent ? { body: JSON.stringify(sent) } : {}) })
      const body = (await reply.json()) as { sessions?: { id: string; timestamp: string }[] }
      return { status: reply.status, body }
    }
    const list = await ask('GET', '/v1/sessions')
    const search = await ask('POST', '/v1/sessions/search', { query: 'budget' })
    const change = await ask('PATCH', `/v1/sessions/${list.body.sessions?.[0]?.id}`, { title: 'Budget' })
    return {
      statuses: [list, search, change].map(({ status }) => status),
      at: list.body.sessions?.[0]?.timestamp
    }
  }

  const ready = () => readiness(server.adminUrl)

  /** The same, and what a load balancer sees of the server. */
  const look = async () => ({ ...(await use()), ready: await ready() })

  async function visit(application_name = 'psql') {
    const visitor = new pg.Client({ host: place.dataDir, user: 'postgres', database: 'postgres', application_name })
    visitor.on('error', () => {})
    await visitor.connect()
    onTestFinished(() => visitor.end().catch(() => {}))
    return visitor
  }
  const first = await visit()
  await first.query('create role visitor')
  return { place, use, ready, look, visit }
}

describe.runIf(!onPostgres)('another program at the embedded database', () => {
  let started: ReturnType<typeof startServer> | undefined
  const open = () => (started ??= startServer())
  const USABLE = { statuses: [200, 200, 200], at: AT }
  const WELL = { ...USABLE, ready: 200 }

  test.each(Object.entries(VISITS))(
    '%s, and disturbs nobody, neither while it stays nor after it left',
    SLOW,
    async (_, statements) => {
      const { look, visit } = await open()
      expect(await look()).toEqual(WELL)
      const visitor = await visit()
      await visitor.query(statements)
      expect(await look()).toEqual(WELL)
      await visitor.query('select 1')
      expect(await look()).toEqual(WELL)
      await visitor.end()
      expect(await look()).toEqual(WELL)
    }
  )

  test('keeps its own settings and statements from turn to turn', SLOW, async () => {
    const { look, visit } = await open()
    const visitor = await visit()
    const other = await visit()
    const zone = async (client: pg.Client) =>
      (await client.query("select current_setting('timezone') as zone, current_user as role")).rows
    await visitor.query("set timezone to 'Asia/Tokyo'; set role visitor")
    await visitor.query({ name: 'mine', text: 'select 1 as one' })
    await visitor.query('create temporary table kept (n int)')
    await look()
    expect(await zone(other)).toEqual([{ zone: 'UTC', role: 'postgres' }])
    expect(await zone(visitor)).toEqual([{ zone: 'Asia/Tokyo', role: 'visitor' }])
    await visitor.query('select from kept')
    await other.query('discard all')
    expect((await visitor.query({ name: 'mine', text: 'select 1 as one' })).rows).toEqual([{ one: 1 }])
  })

  test('discards everything again and again while statements are prepared, and no request fails', SLOW, async () => {
    const { use, ready, look, visit } = await open()
    const visitor = await visit()
    // Few requests at once: one that waits for a connection for five seconds is refused, and readiness is given up after a second.
    const goOn = async () => {
      for (let turn = 0; turn < 5; turn++) {
        expect(await use()).toEqual(USABLE)
        await until('the server is ready', async () => (await ready()) === 200)
      }
    }
    const prepare = async () => {
      const own = await visit('parlance test')
      for (let n = 0; n < 40; n++)
        expect((await own.query({ name: `statement ${n}`, text: `select ${n} as n` })).rows).toEqual([{ n }])
    }
    const discard = async () => {
      for (let turn = 0; turn < 40; turn++) await visitor.query('discard all')
    }
    await Promise.all([discard(), prepare(), prepare(), goOn(), goOn(), goOn(), goOn()])
    expect(await look()).toEqual(WELL)
  })
})
