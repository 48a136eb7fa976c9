// @module-tag both

import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  endOf,
  freshDatabase,
  migratedDatabase,
  newOwner,
  onPostgres,
  type Place,
  ready,
  rowsOf,
  run,
  runJson,
  serve,
  startIn,
  startServe,
  temporaryFolder,
  until
} from '../support/process.ts'

const SLOW = { timeout: 300_000 }
const TOO_NEW = 'The database has a newer schema than this version of Parlance knows; run the newer version\n'

describe('migrate', () => {
  test('--check ends with 1 while migrations are pending, and changes nothing', SLOW, async () => {
    const place = await freshDatabase()
    const lacking = {
      code: 1,
      signal: null,
      stdout: expect.stringMatching(/^Pending migrations: \d+\.\n$/),
      stderr: ''
    }
    expect([await run(place, 'migrate', '--check'), await run(place, 'migrate', '--check')]).toEqual([lacking, lacking])
    const [applied] = await runJson(place, 'migrate')
    expect(applied).toEqual({ pending: expect.any(Number), applied: applied?.pending })
    expect(await run(place, 'migrate', '--check')).toEqual({
      code: 0,
      signal: null,
      stdout: 'The database is up to date.\n',
      stderr: ''
    })
    expect(await runJson(place, 'migrate')).toEqual([{ pending: 0, applied: 0 }])
  })

  test('eight at once on an empty database all succeed, and the schema is applied once', SLOW, async () => {
    const place = await freshDatabase()
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => run(place, 'migrate')))
    // One that waits for another longer than a second says so.
    const stderr = expect.stringMatching(/^(The migration waits up to 300 s for another migration: [^\n]+\n)?$/)
    expect(outcomes).toEqual(Array(8).fill(expect.objectContaining({ code: 0, stderr })))
    await isAppliedOnce(place)
  })

  test.runIf(onPostgres)(
    'eight servers started at once on an empty database all start',
    { timeout: 300_000 },
    async () => {
      const place = await freshDatabase()
      const servers = await Promise.all(Array.from({ length: 8 }, () => startServe(place)))
      await Promise.all(servers.map(ready))
      const owner = await newOwner(place)
      const answers = await Promise.all(servers.map(server => server.get('/v1/account', owner.token)))
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
      await isAppliedOnce(place)
      for (const server of servers) server.kill('SIGTERM')
      expect(await Promise.all(servers.map(async server => (await server.ended).code))).toEqual(Array(8).fill(0))
    }
  )

  test.runIf(!onPostgres)('several commands at once on a data folder without a server all succeed', SLOW, async () => {
    const place = await migratedDatabase()
    const emails = Array.from({ length: 3 }, (_, index) => `${index}@example.test`)
    const outcomes = await Promise.all(emails.map(email => run(place, 'user', 'create', '--email', email)))
    expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(3).fill({ code: 0, stderr: '' }))
    expect((await runJson(place, 'user', 'list')).map(({ email }) => email).sort()).toEqual(emails)
    await isAppliedOnce(place)
  })

  test.runIf(!onPostgres)(
    'a command beside a server that is just starting on an empty database waits for its tables',
    SLOW,
    async () => {
      const place = await freshDatabase()
      const server = await startServe(place)
      await until('the database is there', () => existsSync(join(place.dataDir, 'database')))
      const outcomes = await Promise.all(
        [0, 1].map(index => run(place, 'user', 'create', '--email', `${index}@example.test`))
      )
      expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(2).fill({ code: 0, stderr: '' }))
      server.kill('SIGTERM')
      await endOf(server)
    }
  )

  test('other commands never create the tables, and say which command does', SLOW, async () => {
    const place = await freshDatabase()
    // On the embedded database an interrupted start has left an empty one.
    if (!onPostgres) await rowsOf(place, 'select 1')
    for (const words of [
      ['user', 'list'],
      ['user', 'create', '--email', 'ada@example.test']
    ]) {
      expect(await run(place, ...words)).toEqual({
        code: 1,
        signal: null,
        stdout: '',
        stderr:
          'The database does not have the tables of this version; start the server, or run: npm run -s parlance -- migrate\n'
      })
    }
    expect(await rowsOf(place, "select tablename from pg_tables where schemaname = 'public'")).toEqual([])
  })
})

describe.runIf(!onPostgres)('without a database', () => {
  test.each([
    [['user', 'create', '--email', 'ada@example.test']],
    [['token', 'list']],
    [['import', '--user', 'ada', 'talk.vtt']],
    [['session', 'show', '--user', 'ada', 'ses_x']],
    [['restore-deletions']]
  ])('%j creates none, and says how to name the server’s', SLOW, async words => {
    const { environment, dataDir } = await freshDatabase()
    const stderr = `There is no database in ${dataDir}. Correct DATA_DIR, or start the server once\n`
    expect(await run({ environment }, ...words)).toEqual({ code: 1, signal: null, stdout: '', stderr })
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('a command names the default folder, and the setting to use instead', SLOW, async () => {
    const folder = realpathSync(temporaryFolder())
    const command = startIn(folder, 'user', 'create', '--email', 'ada@example.test')
    const stderr = `There is no database in ${folder}/data. Set DATABASE_URL or DATA_DIR as for the server, or start the server once\n`
    expect(await endOf(command)).toEqual({ code: 1, signal: null, stdout: '', stderr })
    expect(readdirSync(folder)).toEqual([])
  })

  test("a command names the demo's database if there is one", SLOW, async () => {
    const folder = realpathSync(temporaryFolder())
    mkdirSync(join(folder, 'data/demo/database'), { recursive: true })
    const command = startIn(folder, 'user', 'list')
    const stderr = `There is no database in ${folder}/data. To use the demo's, set DATA_DIR=${folder}/data/demo\n`
    expect(await endOf(command)).toEqual({ code: 1, signal: null, stdout: '', stderr })
  })

  test('migrate --check and doctor create none', SLOW, async () => {
    const place = await freshDatabase()
    expect(await run(place, 'migrate', '--check')).toMatchObject({ code: 1, stderr: '' })
    expect(readdirSync(place.dataDir)).toEqual([])
    const checks = await runJson(place, 'doctor')
    expect(checks).toContainEqual({
      check: 'database',
      ok: true,
      detail: `none yet; the server creates an embedded one in ${place.dataDir}`
    })
    expect(existsSync(join(place.dataDir, 'database'))).toBe(false)
  })
})

test.runIf(!onPostgres)(
  'a command names the database of the default folder, unless a server has it open',
  SLOW,
  async () => {
    const folder = realpathSync(temporaryFolder())
    cpSync((await migratedDatabase()).dataDir, join(folder, 'data'), { recursive: true })
    const create = (email: string) => endOf(startIn(folder, 'user', 'create', '--email', email, '--json'))
    const alone = await create('ada@example.test')
    expect(alone).toMatchObject({
      code: 0,
      stderr: `Using the embedded database in ${folder}/data, which no server has open\n`
    })
    expect(JSON.parse(alone.stdout)).toMatchObject({ email: 'ada@example.test' })
    await serve({ environment: { DATA_DIR: join(folder, 'data') } })
    expect(await create('grace@example.test')).toMatchObject({ code: 0, stderr: '' })
  }
)

test('a database with a newer schema ends every command with a sentence and 1, and stays unchanged', SLOW, async () => {
  const place = await migratedDatabase()
  await rowsOf(
    place,
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 9999999999999)"
  )
  const applied = 'select hash, created_at from drizzle.__drizzle_migrations order by created_at'
  const before = await rowsOf(place, applied)
  for (const words of [
    ['serve'],
    ['migrate'],
    ['migrate', '--check'],
    ['import', '--user', 'u', 'talk.txt'],
    ['user', 'list']
  ]) {
    expect(await run(place, ...words), words.join(' ')).toEqual({ code: 1, signal: null, stdout: '', stderr: TOO_NEW })
  }
  expect(await rowsOf(place, applied)).toEqual(before)
})

test.each([
  ['of 0.1', "set created_at = 1795457215993, hash = 'the last one of 0.1'"],
  ['of a build that had another migration of the same time', "set hash = 'the same time'"]
])('a database %s ends every command with what to do and 1, and stays unchanged', SLOW, async (_, other) => {
  const place = await migratedDatabase()
  await rowsOf(place, `update drizzle.__drizzle_migrations ${other}`)
  const applied = 'select hash, created_at from drizzle.__drizzle_migrations'
  const before = await rowsOf(place, applied)
  const [named, instead] = onPostgres
    ? ['of DATABASE_URL', 'name an empty database in DATABASE_URL']
    : [`in ${place.dataDir}`, `move ${place.dataDir} away, or set another DATA_DIR`]
  const refusal = `The database ${named} is of a build of Parlance from before 28 November 2026 (0.1, or a commit between it and 0.2.0), which no later one can read. To use this build, ${instead}, and import again`
  for (const words of [['serve'], ['migrate'], ['migrate', '--check'], ['user', 'list']])
    expect(await run(place, ...words), words.join(' ')).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `${refusal}\n`
    })
  const [failed] = (await run(place, 'doctor')).stdout.split('\n').filter(line => line.includes('28 November'))
  expect(failed).toContain(refusal)
  expect(await rowsOf(place, applied)).toEqual(before)
})

async function isAppliedOnce(place: Place) {
  const rows = await rowsOf(
    place,
    'select hash, count(*)::int as times from drizzle.__drizzle_migrations group by hash'
  )
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.filter(({ times }) => times !== 1)).toEqual([])
}
