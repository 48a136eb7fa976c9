// @module-tag both

import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LOCAL_TABLES, REFERENCE_TABLES } from '../../src/platform/db/distribute.ts'
import {
  freshCluster,
  freshDatabase,
  migratedDatabase,
  needCluster,
  newOwner,
  onPostgres,
  rowsOf,
  run,
  runJson
} from '../support/process.ts'
import { executeOn, rowsOn } from '../support/template.ts'

const SLOW = { timeout: 300_000 }
const PLACES = `select relname as name, coalesce((select citus_table_type from citus_tables where table_name = c.oid), 'local') as place
  from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace`

const failed = (stderr: string) => ({ code: 1, signal: null, stdout: '', stderr })

test('distribute without a cluster says what is missing', SLOW, async () => {
  const stderr = onPostgres
    ? 'The database is not on a Citus cluster: it lacks the extension citus\n'
    : 'Set DATABASE_URL to the coordinator of a Citus cluster\n'
  const place = await freshDatabase()
  for (const words of [['distribute'], ['distribute', '--check']])
    expect(await run(place, ...words)).toEqual(failed(stderr))
})

describe('on a cluster', () => {
  test('each table is placed once, and --check says what is left to do', SLOW, async context => {
    needCluster(context)
    const place = await freshCluster()
    expect(await run(place, 'distribute')).toEqual(
      failed('The database is not up to date; first run: npm run -s parlance -- migrate\n')
    )
    await runJson(place, 'migrate')
    const places = async () => await rowsOf(place, PLACES)
    expect(new Set((await places()).map(row => row.place))).toEqual(new Set(['local']))
    const { code, stdout } = await run(place, 'distribute', '--check', '--json')
    const { tables } = JSON.parse(stdout)
    expect({ code, tables }).toEqual({ code: 1, tables: expect.arrayContaining(['users', 'sessions', 'token_owners']) })
    expect(await runJson(place, 'distribute', '--shards', '4')).toEqual([{ tables, distributed: true }])
    const expected = (name: string) =>
      REFERENCE_TABLES.includes(name) ? 'reference' : LOCAL_TABLES.includes(name) ? 'local' : 'distributed'
    for (const { name, place } of await places()) expect(place, String(name)).toBe(expected(String(name)))
    expect(await runJson(place, 'distribute')).toEqual([{ tables: [], distributed: true }])
    expect(await runJson(place, 'distribute', '--check')).toEqual([{ tables: [], distributed: false }])
  })

  test('rows move to the workers with their table, and none stays on the coordinator', SLOW, async context => {
    needCluster(context)
    const place = await freshCluster()
    await runJson(place, 'migrate')
    const owners = [await newOwner(place), await newOwner(place), await newOwner(place)]
    await runJson(place, 'distribute', '--shards', '4')
    expect((await runJson(place, 'user', 'list')).map(({ id }) => id).sort()).toEqual(owners.map(({ id }) => id).sort())
    expect(
      await rowsOf(place, "select pg_relation_size('users')::int + pg_relation_size('tokens')::int as bytes")
    ).toEqual([{ bytes: 0 }])
  })

  test(
    'a table that a migration adds is distributed by the next migrate, with its foreign key',
    SLOW,
    async context => {
      needCluster(context)
      const place = await migratedDatabase()
      const { id } = await newOwner(place)
      await rowsOf(
        place,
        `create table added (user_id text primary key,
      constraint added_user_fk foreign key (user_id) references users (user_id) on delete cascade)`
      )
      expect(await run(place, 'distribute', '--check')).toMatchObject({
        code: 1,
        stdout: 'Not distributed yet: added.\n'
      })
      await runJson(place, 'migrate')
      expect(await runJson(place, 'distribute', '--check')).toEqual([{ tables: [], distributed: false }])
      await rowsOf(place, 'insert into added values ($1)', [id])
      await rowsOf(place, 'delete from users where user_id = $1', [id])
      expect(await rowsOf(place, 'select user_id from added')).toEqual([])
    }
  )

  test(
    'the workers have the settings of searches and locks, and end a statement when the coordinator does',
    SLOW,
    async context => {
      needCluster(context)
      const place = await migratedDatabase()
      const names = [
        'jit',
        'lock_timeout',
        'max_parallel_workers_per_gather',
        'hnsw.ef_search',
        'client_connection_check_interval'
      ]
      const settings = names.map(name => `current_setting('${name}')`).join(` || ' ' || `)
      const answers = await rowsOf(
        place,
        `select distinct result from run_command_on_workers($$select ${settings} from (select '[1]'::vector) v$$)`
      )
      expect(answers).toEqual([{ result: 'off 5s 0 128 2s' }])
      const { id } = await newOwner(place)
      const sleeping = rowsOf(
        place,
        `set statement_timeout = '1s'; select pg_sleep(600) from users where user_id = '${id}'`
      )
      await expect(sleeping).rejects.toMatchObject({ code: '57014' })
      expect(
        await rowsOf(
          place,
          `select result from run_command_on_workers(
      $$select count(*) from pg_stat_activity where query like '%pg_sleep(600)%' and state = 'active' and pid <> pg_backend_pid()$$)`
        )
      ).toEqual([{ result: '0' }, { result: '0' }])
    }
  )

  test(
    'a role that is not a superuser migrates and distributes, once a superuser has created the extensions',
    SLOW,
    async context => {
      needCluster(context)
      const role = `role_${randomBytes(6).toString('hex')}`
      onTestFinished(() => executeOn(process.env.TEST_CITUS_URL!, `drop role ${role}`))
      const place = await freshCluster()
      await rowsOf(place, 'create extension vector')
      await rowsOf(place, `create role ${role} login password '${role}'`)
      await rowsOf(place, `alter database ${new URL(place.url).pathname.slice(1)} owner to ${role}`)
      const url = Object.assign(new URL(place.url), { username: role, password: role }).href
      const theirs = { environment: { ...place.environment, DATABASE_URL: url } }
      for (const command of ['migrate', 'distribute', 'migrate']) {
        expect(await run(theirs, command)).toMatchObject({ code: 0, stderr: '' })
      }
      expect(await runJson(theirs, 'distribute', '--check')).toEqual([{ tables: [], distributed: false }])
      expect(await runJson(theirs, 'user', 'create', '--email', 'ada@example.com')).toMatchObject([
        { email: 'ada@example.com' }
      ])
    }
  )

  test('a worker and a cluster without workers are refused', SLOW, async context => {
    needCluster(context)
    const { environment, url, workers } = await freshCluster()
    const [worker] = workers
    const onWorker = await run({ environment: { ...environment, DATABASE_URL: worker } }, 'distribute')
    expect(onWorker).toEqual(failed('DATABASE_URL names a worker; name the coordinator of the cluster\n'))
    await rowsOn(url, 'select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid <> 0')
    const alone = await run({ environment }, 'distribute')
    expect(alone).toEqual(
      failed("The cluster has no worker; run on the coordinator: select citus_add_node('HOST', 5432)\n")
    )
    await rowsOn(url, 'select citus_remove_node(nodename, nodeport) from pg_dist_node')
    const unnamed = await run({ environment }, 'distribute')
    expect(unnamed).toEqual(
      failed("The cluster does not know its coordinator; run there: select citus_set_coordinator_host('HOST')\n")
    )
  })
})
