// @module-tag both

import { expect, test } from 'vitest'
import { openAdmissions } from '../../../src/features/access/admission.ts'
import { requestOf, routes } from '../../matrix/ask.ts'
import { openWorld } from '../../matrix/world.ts'
import { dispatching } from '../../support/dispatch.ts'
import { emptyDatabase, migratedDatabase, needCluster, openPlace, until } from '../../support/process.ts'
import { startReceiver } from '../../support/receiver.ts'
import { buildTestApp, clock } from '../../support/server.ts'
import { executeOn, rowsOn } from '../../support/template.ts'

const CHANGES = 30
const MAX_STATEMENTS = { import: 58, change: 12 }
const COUNTS = `select query_execution_single_shard::int as single, query_execution_multi_shard::int as multi
  from citus_stat_counters where name = current_database()`

test('each statement of every route, and of an import, goes to one node', { timeout: 600_000 }, async context => {
  needCluster(context)
  const { db, count } = await openCounted()
  const admissions = openAdmissions(db, clock, { perMinute: 100_000, perDay: 1_000_000 })
  const app = await buildTestApp({ db, admissions })
  const world = await openWorld({ db, app })
  const { owner } = world
  const imported = await count(() => owner.session({ title: 'Another' }))
  const changed = await count(() => owner.patch(`/v1/sessions/${world.ids.session}`, { title: 'Offers' }))
  expect([imported.multi, changed.multi]).toEqual([0, 0])
  // As docs/design/scale.md says.
  expect(imported.single).toBeLessThanOrEqual(MAX_STATEMENTS.import)
  expect(changed.single).toBeLessThanOrEqual(MAX_STATEMENTS.change)
  const onSeveral: [string, number][] = []
  const uncounted: string[] = []
  const unlike: [string, string, number][] = []
  for (const route of routes) {
    const { owner, recipient, ids } = route.row.destroys ? await openWorld({ db, app }) : world
    const { method, url, ...sent } = requestOf(route, ids)
    // The owner last, who may end what the recipient has.
    for (const caller of [recipient, owner]) {
      let status = 0
      const { single, multi } = await count(async () => {
        status = (await caller.ask(method as 'GET', url, sent)).status
      })
      if (multi > 0) onSeveral.push([route.name, multi])
      // Each request with a token has a statement about it, so that a route without one was not counted.
      if (single === 0 && route.row.scopes.length > 0) uncounted.push(route.name)
      const expected = caller === owner ? route.row.owner : route.row.recipient
      if (!expected.startsWith(String(status))) unlike.push([route.name, expected, status])
    }
  }
  expect({ onSeveral, uncounted, unlike }).toEqual({ onSeveral: [], uncounted: [], unlike: [] })
})

test('deliveries after a commit are claimed at the node of their owner; only polls query all nodes', {
  timeout: 600_000
}, async context => {
  needCluster(context)
  const count = await openCounter((await emptyDatabase()).url!)
  const { newUser } = await dispatching()
  const user = await newUser()
  const receiver = await startReceiver()
  await user.post('/v1/webhooks', { url: receiver.url, events: ['session.updated'] })
  const id = await user.session()
  const startedAt = performance.now()
  const { multi } = await count(async () => {
    for (let n = 1; n <= CHANGES; n++) {
      await user.patch(`/v1/sessions/${id}`, { title: `Change ${n}` })
      await until('the change is delivered', () => receiver.received.length === n)
    }
  })
  const polls = (performance.now() - startedAt) / 400 + 1
  const housekeeping = (performance.now() - startedAt) / 15_000 + 1
  expect(multi).toBeLessThanOrEqual(5 * polls + 2 * housekeeping)
})

/** A database of its own whose statements the cluster counts by the number of their shards. */
async function openCounted() {
  const place = await migratedDatabase()
  const count = await openCounter(place.url!)
  const { db } = await openPlace(place)
  return { db, count }
}

/** Counts the statements of connections that are opened from now on. */
async function openCounter(url: string) {
  await executeOn(url, `alter database ${new URL(url).pathname.slice(1)} set citus.enable_stat_counters = on`)
  const read = async () => (await rowsOn(url, COUNTS))[0] as { single: number; multi: number }
  return async (run: () => Promise<unknown>) => {
    const before = await read()
    await run()
    const after = await read()
    return { single: after.single - before.single, multi: after.multi - before.multi }
  }
}
