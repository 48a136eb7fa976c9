import { expect, test } from 'vitest'
import { openAdmissions } from '../../src/accounts/admission.ts'
import { requestOf, routes } from '../matrix/ask.ts'
import { openWorld } from '../matrix/world.ts'
import { migratedDatabase, needCluster, openPlace } from '../support/process.ts'
import { buildTestApp, clock } from '../support/server.ts'
import { executeOn, rowsOn } from '../support/template.ts'

const COUNTS = `select query_execution_single_shard::int as single, query_execution_multi_shard::int as multi
  from citus_stat_counters where name = current_database()`

test('each statement of every route, and of an import, goes to one node', { timeout: 600_000 }, async context => {
  needCluster(context)
  const { db, count } = await openCounted()
  const admissions = openAdmissions(db, clock, { perMinute: 100_000, perDay: 1_000_000 })
  const app = await buildTestApp({ db, admissions })
  const { owner, recipient, ids } = await openWorld({ db, app })
  expect(await count(() => owner.session({ title: 'Another' }))).toMatchObject({ multi: 0 })
  const inOrder = [...routes.filter(({ row }) => !row.destroys), ...routes.filter(({ row }) => row.destroys)]
  const counts = new Map<string, number>()
  let single = 0
  for (const route of inOrder) {
    const { method, url, body } = requestOf(route, ids)
    for (const caller of [owner, recipient]) {
      const counted = await count(() => caller.ask(method as 'GET', url, { body }))
      single += counted.single
      if (counted.multi > 0) counts.set(route.name, (counts.get(route.name) ?? 0) + counted.multi)
    }
  }
  expect(single).toBeGreaterThan(routes.length)
  // Searches read the list of vector indexes, which is of all owners, once a minute.
  expect([...counts].filter(([name, multi]) => name !== 'searchSessions' || multi > 1)).toEqual([])
})

/** A database of its own whose statements the cluster counts by the number of their shards. */
async function openCounted() {
  const place = await migratedDatabase()
  const url = place.url!
  await executeOn(url, `alter database ${new URL(url).pathname.slice(1)} set citus.enable_stat_counters = on`)
  const { db } = await openPlace(place)
  const read = async () => (await rowsOn(url, COUNTS))[0] as { single: number; multi: number }
  const count = async (run: () => Promise<unknown>) => {
    const before = await read()
    await run()
    const after = await read()
    return { single: after.single - before.single, multi: after.multi - before.multi }
  }
  return { db, count }
}
