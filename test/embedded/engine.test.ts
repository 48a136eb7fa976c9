import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Engine, openEngine } from '../../src/platform/db/embedded/engine.ts'
import { takeLock } from '../../src/platform/db/embedded/lock.ts'
import { UnitReader } from '../../src/platform/db/embedded/protocol.ts'
import { serveSession } from '../../src/platform/db/embedded/session.ts'
import { afterFile, endOf, onPostgres, startNode, temporaryFolder, until } from '../support/process.ts'

/** The engine serves clients of such a name only. */
const application_name = 'parlance test'

const finally_ = afterFile()
let opened: Promise<Engine> | undefined

/** The engine of this file; each test has a table of its own in it. */
function sharedEngine() {
  opened ??= openEngine(temporaryFolder(finally_), false).then(engine => {
    finally_(() => engine.close())
    return engine
  })
  return opened
}

async function newClient(engine?: Pick<Engine, 'socketDir'>) {
  const { socketDir } = engine ?? (await sharedEngine())
  const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres', application_name })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function newClients(count: number) {
  return await Promise.all(Array.from({ length: count }, () => newClient()))
}

let tables = 0

async function newTable(client: pg.Client) {
  const name = `t${tables++}`
  await client.query(`create table ${name} (n int primary key)`)
  return name
}

/** Cuts the connection as the end of its process would. */
function die(client: pg.Client) {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection
  stream.destroy()
}

async function numbersIn(client: pg.Client, table: string) {
  const { rows } = await client.query(`select n from ${table} order by n`)
  return rows.map(({ n }) => n)
}

describe.runIf(!onPostgres)('the embedded database', () => {
  test('never mixes statements whose parameters come in several packets', async () => {
    const [small, ...large] = await newClients(5)
    let over = false
    const others = (async () => {
      for (let n = 0; !over; n++)
        expect((await small!.query('select $1::int + 1 as next', [n])).rows).toEqual([{ next: n + 1 }])
    })()
    const rounds = large.map(async (client, index) => {
      const text = String(index).repeat(3_000_000)
      for (let round = 0; round < 3; round++) {
        const { rows } = await client.query(
          'select md5($1::text) = md5(repeat($2::text, 3000000)) as same, $3::int as round',
          [text, index, round]
        )
        expect(rows).toEqual([{ same: true, round }])
      }
    })
    await Promise.all(rounds).finally(() => {
      over = true
    })
    await others
  })

  test('runs the statements of others while one has sent only half of its own', async () => {
    const [other] = await newClients(1)
    const { socketDir } = await sharedEngine()
    const socket = connect(join(socketDir, '.s.PGSQL.5432'))
    onTestFinished(() => void socket.destroy())
    let answer = Buffer.alloc(0)
    socket.on('data', part => {
      answer = Buffer.concat([answer, part])
    })
    socket.write(startup())
    await until('it is greeted', () => answer.includes('Z\0\0\0\u0005I'))
    answer = Buffer.alloc(0)
    const [parse, rest] = [
      message('P', '\0select 41 + 1\0\0\0'),
      [bind(), message('D', 'P\0'), message('E', '\0\0\0\0\0'), message('S', '')]
    ]
    socket.write(parse)
    expect((await other!.query('select $1::text as mine', ['other'])).rows).toEqual([{ mine: 'other' }])
    socket.write(Buffer.concat(rest).subarray(0, 9))
    expect((await other!.query('select $1::text as mine', ['again'])).rows).toEqual([{ mine: 'again' }])
    socket.write(Buffer.concat(rest).subarray(9))
    await until('it is answered', () => answer.includes('Z\0\0\0\u0005I'))
    expect(answer.includes('42')).toBe(true)
  })

  test.each(['psql', 'parlance', undefined])('refuses another program, as %j, and says what to use', async name => {
    const { socketDir } = await sharedEngine()
    const [own] = await newClients(1)
    const other = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres', application_name: name })
    other.on('error', () => {})
    await expect(other.connect()).rejects.toMatchObject({
      severity: 'FATAL',
      code: '08004',
      message:
        'The embedded database serves Parlance alone; use the parlance command, or DATABASE_URL with a PostgreSQL of your own'
    })
    expect((await own!.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('keeps prepared statements of the same name apart', async () => {
    const [one, two] = await newClients(2)
    for (let round = 0; round < 3; round++) {
      expect((await one!.query({ name: 'same', text: 'select 1 as one' })).rows).toEqual([{ one: 1 }])
      expect((await two!.query({ name: 'same', text: 'select $1::text as two', values: ['2'] })).rows).toEqual([
        { two: '2' }
      ])
    }
  })

  test('forgets the prepared statements of a client that has left', async () => {
    const [stays, leaves] = await newClients(2)
    const prepared = async () =>
      Number(
        (await stays!.query("select count(*) as n from pg_prepared_statements where name like '%theirs'")).rows[0].n
      )
    await leaves!.query({ name: 'theirs', text: "select 'leaver'" })
    expect(await prepared()).toBe(1)
    await leaves!.end()
    await until('it is forgotten', async () => (await prepared()) === 0)
  })

  test('isolates transactions: nobody sees what is not committed, and two do not mix', async () => {
    const [one, two, reader] = await newClients(3)
    const table = await newTable(reader!)
    const work = async (client: pg.Client, from: number, end: string) => {
      await client.query('begin')
      for (let n = from; n < from + 20; n++) await client.query(`insert into ${table} values ($1)`, [n])
      const seen = await numbersIn(client, table)
      await client.query(end)
      return seen
    }
    const reading = numbersIn(reader!, table)
    const [kept, dropped] = await Promise.all([work(one!, 0, 'commit'), work(two!, 100, 'rollback')])
    const [first, second] = [Array.from({ length: 20 }, (_, n) => n), Array.from({ length: 20 }, (_, n) => 100 + n)]
    expect(kept.filter(n => n < 100)).toEqual(first)
    expect(kept.filter(n => n >= 100)).toEqual([])
    expect(dropped.filter(n => n >= 100)).toEqual(second)
    expect([0, 20]).toContain((await reading).length)
    expect(await numbersIn(reader!, table)).toEqual(first)
  })

  test('rolls a client back that dies inside a transaction, and others go on', async () => {
    const [dies, other] = await newClients(2)
    const table = await newTable(other!)
    await dies!.query('begin')
    await dies!.query(`insert into ${table} values (1)`)
    const waiting = numbersIn(other!, table)
    die(dies!)
    expect(await waiting).toEqual([])
    expect((await other!.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('keeps a commit whose client disconnects at once', async () => {
    const [other] = await newClients(1)
    const table = await newTable(other!)
    for (let n = 0; n < 20; n++) {
      const client = await newClient()
      await client.query('begin')
      await client.query(`insert into ${table} values ($1)`, [n])
      client.query('commit').catch(() => {})
      const left = new Promise(resolve => client.once('end', resolve))
      die(client)
      await left
    }
    await until('all are there', async () => (await numbersIn(other!, table)).length === 20)
  })

  test('leaves the session usable after a statement that fails, in a transaction and outside', async () => {
    const [client, other] = await newClients(2)
    const table = await newTable(client!)
    await expect(client!.query('select 1/0')).rejects.toMatchObject({ code: '22012' })
    await client!.query('begin')
    await expect(client!.query(`insert into ${table} values ($1)`, ['none'])).rejects.toMatchObject({ code: '22P02' })
    await expect(client!.query('select 1')).rejects.toMatchObject({ code: '25P02' })
    const waiting = other!.query('select 2 as two')
    await client!.query('rollback')
    expect((await waiting).rows).toEqual([{ two: 2 }])
    expect((await client!.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test.each([
    ['a message of no length', Buffer.alloc(4)],
    ['a message of negative length', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['a message without length after the greeting', Buffer.concat([startup(), Buffer.alloc(16)])]
  ])('cuts a client off that sends %s, and others go on', async (_, rubbish) => {
    const engine = await openEngine(temporaryFolder(), false)
    onTestFinished(() => engine.close())
    const other = await newClient(engine)
    const socket = connect(join(engine.socketDir, '.s.PGSQL.5432'), () => socket.write(rubbish))
    onTestFinished(() => void socket.destroy())
    let cut = false
    socket.on('error', () => {}).resume()
    socket.on('close', () => {
      cut = true
    })
    await until('it is cut off', () => cut)
    expect((await other.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('takes the transaction from a client that leaves it idle, however busy others are', async () => {
    const socketDir = temporaryFolder()
    const pglite = await PGlite.create()
    const session = await serveSession(pglite, join(socketDir, '.s.PGSQL.5432'), { idleTransactionMs: 3_000 })
    onTestFinished(() => session.stop().then(() => pglite.close()))
    const [idle, other] = [await newClient({ socketDir }), await newClient({ socketDir })]
    const table = await newTable(other)
    await idle.query('begin')
    await idle.query(`insert into ${table} values (1)`)
    let over = false
    const answered = numbersIn(other, table).finally(() => {
      over = true
    })
    // As a server does whose pool gives up waiting and connects anew.
    const comeAndGo = async () => {
      const client = new pg.Client({
        host: socketDir,
        user: 'postgres',
        database: 'postgres',
        application_name,
        connectionTimeoutMillis: 250
      })
      client.on('error', () => {})
      await client.connect().then(
        () => client.end(),
        () => {}
      )
      return over
    }
    await until('the others are served', comeAndGo)
    expect(await answered).toEqual([])
    await expect(idle.query('select 1')).rejects.toThrow()
  })

  test('leaves the transaction to a client that is at work in it, however long', async () => {
    const socketDir = temporaryFolder()
    const pglite = await PGlite.create()
    const session = await serveSession(pglite, join(socketDir, '.s.PGSQL.5432'), { idleTransactionMs: 1_000 })
    onTestFinished(() => session.stop().then(() => pglite.close()))
    const busy = await newClient({ socketDir })
    const table = await newTable(busy)
    await busy.query('begin')
    const startedAt = Date.now()
    for (let n = 0; Date.now() - startedAt < 2_000; n++) await busy.query(`insert into ${table} values ($1)`, [n])
    await busy.query('select pg_sleep(1.5)')
    await busy.query('commit')
    expect((await numbersIn(busy, table)).length).toBeGreaterThan(0)
  })
})

test('joins the chunks of a long message once, so that its time grows in proportion to its length', () => {
  const reader = new UnitReader(1)
  expect([...reader.push(startup())]).toHaveLength(1)
  const statement = message('Q', Buffer.alloc(8 * 2 ** 20, 'x'))
  const joined = vi.spyOn(Buffer, 'concat')
  onTestFinished(() => joined.mockRestore())
  const units = []
  for (let at = 0; at < statement.length; at += 65_536) units.push(...reader.push(statement.subarray(at, at + 65_536)))
  expect(units.map(unit => unit.kind === 'run' && statement.equals(unit.bytes))).toEqual([true])
  const bytes = joined.mock.results.reduce((sum, { value }) => sum + value.length, 0)
  expect(bytes).toBeLessThan(3 * statement.length)
})

describe.runIf(!onPostgres)('opening the embedded database', () => {
  test('works in a folder whose path is too long for a socket', async () => {
    const folder = join(temporaryFolder(), 'x'.repeat(80), 'y'.repeat(80))
    mkdirSync(folder, { recursive: true })
    const engine = await openEngine(folder, false)
    const guest = await openEngine(folder, true)
    expect({ owned: [engine.owned, guest.owned], short: engine.socketDir.length < 90 }).toEqual({
      owned: [true, false],
      short: true
    })
    const client = await newClient(guest)
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await client.end()
    await guest.close()
    await engine.close()
    expect(existsSync(engine.socketDir)).toBe(false)
  })

  test('refuses a socket folder that another user could have put there', async () => {
    const folder = join(temporaryFolder(), 'x'.repeat(80), 'y'.repeat(80))
    mkdirSync(folder, { recursive: true })
    const engine = await openEngine(folder, false)
    await engine.close()
    mkdirSync(engine.socketDir)
    chmodSync(engine.socketDir, 0o777)
    onTestFinished(() => rmSync(engine.socketDir, { recursive: true }))
    const sentence = `Others on this machine may write to ${engine.socketDir}, the folder of the database's socket; remove it, or choose a DATA_DIR with a shorter path`
    for (const share of [false, true]) await expect(openEngine(folder, share)).rejects.toThrow(sentence)
  })

  test('a guest that is at work when the owner closes can finish, and is not waited for any longer', {
    timeout: 300_000
  }, async () => {
    const folder = temporaryFolder()
    const owner = await openEngine(folder, false)
    const way = await openEngine(folder, true)
    const guest = await newClient(way)
    const table = await newTable(guest)
    await guest.query('begin')
    await guest.query(`insert into ${table} values (1)`)
    let closed = false
    void owner.close(600_000).then(() => {
      closed = true
    })
    await guest.query(`insert into ${table} values (2)`)
    await guest.query('commit')
    await guest.end()
    await way.close()
    await until('the owner has closed', () => closed)
    const again = await openEngine(folder, false)
    onTestFinished(() => again.close())
    expect(await numbersIn(await newClient(again), table)).toEqual([1, 2])
  })

  test('an engine that has ended by itself says why, can be closed, and leaves its folder free', async () => {
    const folder = temporaryFolder()
    const engine = await openEngine(folder, false)
    const client = await newClient(engine)
    rmSync(join(folder, 'database', 'pg_wal'), { recursive: true })
    await expect(
      client.query('create table filler (n int); select pg_switch_wal(); create table more (n int)')
    ).rejects.toThrow('terminated')
    expect(await engine.lost).toMatch(/pg_wal/)
    await engine.close()
    const lock = takeLock(join(folder, 'database.lock'))
    onTestFinished(() => lock?.release())
    expect(lock).toBeDefined()
  })

  test('the lock has one holder, and a killed one leaves it free', { timeout: 300_000 }, async () => {
    const path = join(temporaryFolder(), 'database.lock')
    const program = `import { takeLock } from './src/platform/db/embedded/lock.ts'; console.log(takeLock(${JSON.stringify(path)}) ? 'taken' : 'refused'); setInterval(() => {}, 1000)`
    const holder = startNode({}, ['--input-type=module', '-e', program])
    await until('it has the lock', () => holder.output.stdout === 'taken\n')
    expect(takeLock(path)).toBeUndefined()
    const second = startNode({}, ['--input-type=module', '-e', program])
    await until('it has asked for the lock', () => second.output.stdout)
    expect(second.output.stdout).toBe('refused\n')
    holder.kill('SIGKILL')
    await endOf(holder)
    const lock = takeLock(path)
    onTestFinished(() => lock?.release())
    expect(lock).toBeDefined()
    const folder = dirname(path)
    const modes = readdirSync(folder).map(name => [name, statSync(join(folder, name)).mode & 0o777])
    expect(modes.every(([, mode]) => mode === 0o600)).toBe(true)
  })

  test('of several that take the lock at once one has it', async () => {
    const path = join(temporaryFolder(), 'database.lock')
    const locks = Array.from({ length: 5 }, () => takeLock(path))
    onTestFinished(() => {
      for (const lock of locks) lock?.release()
    })
    expect(locks.filter(Boolean)).toHaveLength(1)
  })
})

function startup() {
  const words = Buffer.from('user\0postgres\0database\0postgres\0application_name\0parlance test\0\0')
  const head = Buffer.alloc(8)
  head.writeInt32BE(words.length + 8, 0)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, words])
}

function message(type: string, content: string | Buffer) {
  const body = Buffer.from(content)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Binds the unnamed statement to the unnamed portal, without parameters. */
function bind() {
  return message('B', Buffer.alloc(8))
}
