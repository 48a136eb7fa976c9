import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { isUnavailable } from '../../src/db/faults.ts'
import { openLanes } from '../../src/db/lanes.ts'
import { onPostgres } from '../support/process.ts'
import { testDatabase } from '../support/server.ts'

const ECHO = { name: 'echo', text: 'select $1::int' }
const SLEEP = { name: 'sleep', text: 'select 1 from pg_sleep(2)' }
const SLEEPER = { name: 'sleeper', text: 'select pg_backend_pid() from pg_sleep(1)' }
const FAIL = { name: 'fail', text: 'select 1 / $1::int' }

/** A way to the database of this run that can be made to hang, to break, and to be whole again. */
async function openWay() {
  const where = inject('database')
  const { engine } = await testDatabase()
  const address = 'url' in where ? new URL(where.url) : undefined
  const open = new Set<Socket>()
  let hanging = false
  let arrivals = 0
  const server = createServer(near => {
    const far = engine ? connect(`${engine.socketDir}/.s.PGSQL.5432`) : connect(Number(address?.port || 5432), address?.hostname)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', bytes => {
      arrivals += 1
      if (!hanging) far.write(bytes)
    })
    far.on('data', bytes => void (hanging || near.write(bytes)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const who = address
    ? { user: address.username, password: address.password, database: address.pathname.slice(1) }
    : { user: 'postgres', database: 'postgres' }
  return {
    settings: { host: '127.0.0.1', port, ...who },
    connections: () => open.size / 2,
    /** How often something has come from the lanes, in one piece each. */
    arrivals: () => arrivals,
    hang(now: boolean) {
      hanging = now
    },
    cut() {
      for (const socket of open) socket.destroy()
    }
  }
}

async function openThrough(settings: object, count: number, answerWithinMs?: number) {
  const lanes = openLanes(settings, count, () => {}, answerWithinMs)
  onTestFinished(() => lanes.close())
  return lanes
}

describe('statements that share connections', () => {
  test('each get their own answer, whatever fails between them', async () => {
    const way = await openWay()
    const lanes = await openThrough(way.settings, 2)
    const asked = Array.from({ length: 300 }, (_, n) => (n % 7 === 3 ? lanes.run(FAIL, [0]) : lanes.run(ECHO, [n])))
    const answers = await Promise.allSettled(asked)
    for (const [n, answer] of answers.entries()) {
      if (n % 7 === 3) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
      else expect(answer).toEqual({ status: 'fulfilled', value: [[n]] })
    }
    expect(way.connections()).toBe(2)
  })

  test('that are asked at once are sent in one go, on two connections', async () => {
    const way = await openWay()
    const lanes = await openThrough(way.settings, 4)
    await Promise.all([lanes.run(ECHO, [1]), lanes.run(ECHO, [2])])
    const before = way.arrivals()
    await Promise.all(Array.from({ length: 50 }, (_, n) => lanes.run(ECHO, [n])))
    expect([way.connections(), way.arrivals() - before]).toEqual([2, 2])
  })

  test.runIf(onPostgres)('do not wait behind those that take long, while a connection is left', async () => {
    const way = await openWay()
    const lanes = await openThrough(way.settings, 4)
    const ended: string[] = []
    const slow = [1, 2, 3].map(() => lanes.run(SLEEP, []).then(() => ended.push('slow')))
    await wait(100)
    for (let n = 0; n < 20; n++) await lanes.run(ECHO, [n]).then(() => ended.push('quick'))
    await Promise.all(slow)
    expect(ended).toEqual([...Array(20).fill('quick'), ...Array(3).fill('slow')])
  })

  test.runIf(onPostgres)('that take long are spread over all connections, also when each has one already', async () => {
    const way = await openWay()
    const lanes = await openThrough(way.settings, 4)
    const asked: Promise<[number][]>[] = []
    for (let n = 0; n < 8; n++) {
      asked.push(lanes.run(SLEEPER, []))
      await wait(50)
    }
    const pids = (await Promise.all(asked)).map(([row]) => row?.[0])
    expect([...Map.groupBy(pids, pid => pid).values()].map(({ length }) => length)).toEqual([2, 2, 2, 2])
  })

  test('fail as unavailable when their connection is lost, and the next ones take a new one', async () => {
    const way = await openWay()
    const lanes = await openThrough(way.settings, 1)
    await lanes.run(ECHO, [1])
    way.hang(true)
    const lost = Promise.allSettled([lanes.run(ECHO, [2]), lanes.run(ECHO, [3])])
    way.cut()
    for (const answer of await lost) expect(answer.status === 'rejected' && isUnavailable(answer.reason)).toBe(true)
    way.hang(false)
    expect(await lanes.run(ECHO, [4])).toEqual([[4]])
  })

  test('do not wait for a connection that hangs', async () => {
    const way = await openWay()
    const lanes = await openThrough(way.settings, 1, 200)
    await lanes.run(ECHO, [1])
    way.hang(true)
    const fault = await lanes.run(ECHO, [2]).catch(fault => fault)
    expect(isUnavailable(fault)).toBe(true)
    way.hang(false)
    expect(await lanes.run(ECHO, [3])).toEqual([[3]])
  })

  test('are refused once they are closed, after those under way were answered', async () => {
    const way = await openWay()
    const lanes = await openThrough(way.settings, 1)
    const underWay = lanes.run(ECHO, [1])
    await underWay
    const [answer] = await Promise.all([lanes.run(ECHO, [2]), lanes.close()])
    expect(answer).toEqual([[2]])
    await expect(lanes.run(ECHO, [3])).rejects.toThrow()
  })
})
