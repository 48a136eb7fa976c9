// @module-tag postgres

import { describe, expect, test } from 'vitest'
import { logged } from '../support/log.ts'
import { fileIn, jsonLines, newOwner, rowsOf, run, serve, until } from '../support/process.ts'
import { executeOn, rowsOn } from '../support/template.ts'
import { addNode, needCitus, portOf, startCitus, startNode } from './citus.ts'
import { loadOf, report, total } from './load.ts'

const SLOW = { timeout: 600_000 }
const CHANGES = 30
const AWAY = 'a node of the database is away; requests of its owners are refused'
const BACK = 'every node of the database answers again'
const OK = { statuses: [200], strange: [] }

type Cluster = Awaited<ReturnType<typeof startCitus>>
type Load = Awaited<ReturnType<typeof loadOf>>

describe('on a cluster', () => {
  test(
    'a worker that is killed fails requests of its owners alone, and they lose nothing acknowledged',
    SLOW,
    async context => {
      needCitus(context)
      const cluster = await startCitus()
      const server = await serve(cluster.place)
      const [here, there] = await loadOnEach(cluster)
      const [stopHere, stopThere] = [here.start([server]), there.start([server])]
      await Promise.all([here.progress(CHANGES), there.progress(CHANGES)])
      await cluster.workers[1]!.kill()
      await until('owners of the dead worker are refused', () => stopThere.seen.statuses.get(503))
      await here.progress(CHANGES)
      const doctor = await run(cluster.place, 'doctor', '--json')
      expect([doctor.code, jsonLines(doctor.stdout).find(({ check }) => check === 'nodes')]).toEqual([
        1,
        {
          check: 'nodes',
          ok: false,
          detail: `127.0.0.1:${cluster.workers[1]!.port} of 2 nodes do not answer; requests of their owners are refused until they do`
        }
      ])
      cluster.workers[1]!.start()
      await there.progress(CHANGES)
      const [alive, dead] = [await stopHere(), await stopThere()]
      expect(failuresIn(server.output.stdout)).toEqual([])
      await until('the log says that it is back', () => logged(server, BACK).length > 0)
      expect(warningsIn(server.output.stdout)).toEqual([AWAY, BACK])
      expect({ statuses: [...alive.statuses.keys()], strange: alive.strange }).toEqual(OK)
      expect({ statuses: [...dead.statuses.keys()].sort(), strange: dead.strange }).toEqual({
        statuses: [200, 503],
        strange: []
      })
      expect(await here.check()).toBeGreaterThan(CHANGES)
      expect(await there.check()).toBeGreaterThan(CHANGES)
      report(
        `worker killed: ${total(alive.statuses)} requests elsewhere, slowest ${alive.slowestMs.toFixed()} ms; ${dead.statuses.get(503)} refused`
      )
    }
  )

  test.for(['fast', 'immediate'] as const)(
    'a coordinator that is stopped (%s) and started loses nothing acknowledged',
    SLOW,
    async (mode, context) => {
      needCitus(context)
      const cluster = await startCitus()
      const server = await serve(cluster.place)
      const loads = await loadOnEach(cluster)
      const stops = loads.map(load => load.start([server]))
      await Promise.all(loads.map(load => load.progress(CHANGES)))
      cluster.coordinator.stop(mode)
      await until('requests are refused', () => stops.every(({ seen }) => seen.statuses.get(503)))
      cluster.coordinator.start()
      await Promise.all(loads.map(load => load.progress(CHANGES)))
      for (const stop of stops) expect((await stop()).strange).toEqual([])
      for (const load of loads) expect(await load.check()).toBeGreaterThan(CHANGES)
    }
  )

  test('a node is added and shards move to it under load, and no request fails', SLOW, async context => {
    needCitus(context)
    const cluster = await startCitus()
    const server = await serve(cluster.place)
    const loads = await loadOnEach(cluster)
    const added = await startNode()
    const stops = loads.map(load => load.start([server]))
    await addNode(cluster.coordinator, added)
    await rebalance(cluster)
    for (const load of loads) await move(cluster, load, added.port)
    await Promise.all(loads.map(load => load.progress(CHANGES)))
    for (const stop of stops) {
      const { statuses, strange, slowestMs } = await stop()
      expect({ statuses: [...statuses.keys()], strange }).toEqual(OK)
      report(`shards moved: ${total(statuses)} requests, slowest ${slowestMs.toFixed()} ms`)
    }
    for (const load of loads) expect(await load.check()).toBeGreaterThan(CHANGES)
  })

  test('a server that is killed during imports leaves each session completed once', SLOW, async context => {
    needCitus(context)
    const { place } = await startCitus()
    const doomed = await serve(place)
    const owners = [await newOwner(place), await newOwner(place), await newOwner(place)]
    const accepted = owners.map(async ({ id }) => {
      const lines = Array.from({ length: SESSIONS }, (_, n) =>
        JSON.stringify({ title: `Session ${n}`, segments: [{ speaker: 'Ada', text: `Hello ${n}.` }] })
      )
      return await run(place, 'import', '--user', id, fileIn(place.dataDir, `${id}.jsonl`, lines.join('\n')))
    })
    const countEvents = async () =>
      Number((await rowsOf(place, "select count(*)::int as n from events where type = 'session.completed'"))[0]!.n)
    await until('some sessions are completed', countEvents)
    doomed.kill('SIGKILL')
    await doomed.ended
    await serve(place)
    for (const { code } of await Promise.all(accepted)) expect(code).toBe(0)
    const all = SESSIONS * owners.length
    await until('all sessions are completed', async () => (await countEvents()) >= all)
    const rows = await rowsOf(
      place,
      `
      select state, events::int, count(*)::int as sessions from sessions
      join (select user_id, session_id, count(*) as events from events where type = 'session.completed' group by 1, 2) e using (user_id, session_id)
      group by 1, 2`
    )
    expect(rows).toEqual([{ state: 'completed', events: 1, sessions: all }])
  })
})

const SESSIONS = 40

/** The load of an owner on each of the first two workers. */
async function loadOnEach({ coordinator, workers, place }: Cluster): Promise<[Load, Load]> {
  const loads = new Map<number, Load>()
  while (loads.size < workers.length) {
    const load = await loadOf(place)
    loads.set(await portOf(coordinator, load.owner.id), load)
  }
  return [loads.get(workers[0]!.port)!, loads.get(workers[1]!.port)!]
}

/** The errors in a server's log whose requests were answered with 500. */
function failuresIn(log: string) {
  // The last line may be incomplete while the server runs.
  const lines = jsonLines(log.slice(0, log.lastIndexOf('\n') + 1))
  const failed = new Set(lines.filter(({ status }) => status === 500).map(({ reqId }) => reqId))
  return lines.filter(({ err, reqId }) => err && failed.has(reqId)).map(({ err }) => err)
}

/** The messages of warnings and errors in a server's log. */
function warningsIn(log: string) {
  return jsonLines(log.slice(0, log.lastIndexOf('\n') + 1)).flatMap(({ level, msg }) =>
    Number(level) >= 40 ? [msg] : []
  )
}

/** Spreads the shards over all nodes as the guide says. */
async function rebalance({ coordinator }: Cluster) {
  await executeOn(coordinator.url, 'select citus_rebalance_start()')
  await executeOn(coordinator.url, 'select citus_rebalance_wait()')
  expect(await rowsOn(coordinator.url, 'select state from citus_rebalance_status()')).toEqual([{ state: 'finished' }])
}

/** Moves the shard of the load's owner, with those of the other tables, to the node with that port, unless it is there. */
async function move({ coordinator }: Cluster, { owner }: Load, port: number) {
  const from = await portOf(coordinator, owner.id)
  if (from === port) return
  await executeOn(
    coordinator.url,
    `select citus_move_shard_placement(get_shard_id_for_distribution_column('users', '${owner.id}'), '127.0.0.1', ${from}, '127.0.0.1', ${port}, 'force_logical')`
  )
}
