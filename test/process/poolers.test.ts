// @module-tag postgres
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { migrateDatabase } from '../../src/platform/db/migrate.ts'
import { noPooler, startPooler } from '../support/pooler.ts'
import {
  freePort,
  freshDatabase,
  newOwner,
  onCluster,
  onPostgres,
  openPlace,
  type Place,
  rowsOf,
  run,
  serve,
  until
} from '../support/process.ts'
import { bothSay } from '../support/refused-start.ts'

const SLOW = { timeout: 300_000 }
const SESSION = { pool_mode: 'session', ignore_startup_parameters: 'extra_float_digits,options' }

describe.runIf(onPostgres && !onCluster && !noPooler)('behind PgBouncer', () => {
  test.each([['session'], ['transaction']])(
    'in %s mode, server and doctor refuse to lose the settings of their connections',
    SLOW,
    async mode => {
      const { environment, url } = await poolable()
      const pooled = await startPooler(url, { ...SESSION, pool_mode: mode })
      await bothSay(
        { ...environment, DATABASE_URL: pooled },
        /^The database server at 127\.0\.0\.1:\d+ ignores the settings of a connection: .*statement_timeout is 0 and should be 15s.*; name PostgreSQL itself in DATABASE_URL: a pooler such as PgBouncer drops the start-up options/
      )
    }
  )

  test('that refuses the settings, too', SLOW, async () => {
    const { environment, url } = await poolable()
    const pooled = await startPooler(url, { pool_mode: 'session' })
    await bothSay(
      { ...environment, DATABASE_URL: pooled },
      /^The database server at 127\.0\.0\.1:\d+ says: unsupported startup parameter.*; name PostgreSQL itself in DATABASE_URL/
    )
  })

  test('in transaction mode, a role with those settings is refused: connections are shared', SLOW, async () => {
    const place = await poolable()
    await setAsInGuide(place)
    const pooled = await startPooler(place.url, { ...SESSION, pool_mode: 'transaction' })
    await bothSay(
      { ...place.environment, DATABASE_URL: pooled },
      /^The database server at 127\.0\.0\.1:\d+ lets clients share a connection; name PostgreSQL itself in DATABASE_URL, or set pool_mode=session/
    )
  })

  test('a replica that loses the settings is refused too, and one that is away is not', SLOW, async () => {
    const { environment, url } = await poolable()
    const pooled = await startPooler(url, SESSION)
    const { code, stderr } = await run({ environment: { ...environment, DATABASE_REPLICA_URL: pooled } }, 'serve')
    const sentence =
      /^The database server at 127\.0\.0\.1:\d+ ignores the settings of a connection: .*; name PostgreSQL itself in DATABASE_REPLICA_URL:/
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)])

    const silent = `postgres://nobody@127.0.0.1:${await freePort()}/none`
    const server = await serve({ environment: { ...environment, DATABASE_REPLICA_URL: silent } })
    const checked = await run({ environment: { ...environment, DATABASE_REPLICA_URL: pooled } }, 'doctor')
    expect(checked).toMatchObject({ code: 1, stderr: 'Not working: replica\n' })
    expect(checked.stdout).toMatch(/^replica +false +The database server at .* ignores the settings/m)
    expect(server.output.stderr).toBe('')
  })

  test('in session mode, a role with the settings of the guide migrates and serves', SLOW, async () => {
    const place = await poolable()
    await setAsInGuide(place)
    const DATABASE_URL = await startPooler(place.url, SESSION)
    const server = await serve({ environment: { ...place.environment, DATABASE_URL } })
    const { id, token } = await newOwner(place)
    expect(await server.get('/v1/account', token)).toMatchObject({ status: 200, body: { user_id: id } })
    expect(await rowsOf(place, "select from pg_locks where locktype = 'advisory'")).toEqual([])
  })
})

test.runIf(onPostgres)(
  'a migration says after a second that it waits for another one, and goes on after it',
  SLOW,
  async () => {
    const place = await freshDatabase()
    const { pool, address } = await openPlace(place)
    const other = await pool.connect()
    await other.query('begin; select pg_advisory_xact_lock(7165201)')
    const waits: string[] = []
    const migrating = migrateDatabase(address, { onWait: reason => waits.push(reason) })
    await until('it says so', () => waits.length > 0)
    expect(waits).toEqual([
      expect.stringMatching(
        /^The migration waits up to 300 s for another migration: another migration \(process \d+ of the database\), for \d+ s$/
      )
    ])
    await other.query('commit')
    other.release()
    await migrating
    expect(await rowsOf(place, 'select count(*)::int as rows from users')).toEqual([{ rows: 0 }])
  }
)

async function poolable() {
  const { environment, url } = await freshDatabase()
  return { environment, url: url!, dataDir: '' }
}

/** Gives the role of the place the settings of the guide. */
async function setAsInGuide(place: Place & { url: string }) {
  const { pathname, username } = new URL(place.url)
  const [, sql = ''] = /```sql\n([\s\S]*?)```/.exec(readFileSync('docs/operations/poolers.md', 'utf8')) ?? []
  const named = sql.replaceAll(
    'role parlance in database parlance',
    `role ${username} in database ${pathname.slice(1)}`
  )
  for (const statement of named.split('\n').filter(Boolean)) await rowsOf(place, statement)
}
