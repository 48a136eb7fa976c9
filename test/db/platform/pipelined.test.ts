// @module-tag both

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { isUnavailable } from '../../../src/platform/db/errors.ts'
import { openPipelined } from '../../../src/platform/db/pipelined.ts'
import { onPostgres, until } from '../../support/process.ts'
import { testDatabase } from '../../support/server.ts'

const echo = (n: number) => ({ name: 'echo', text: 'select $1::int as n', values: [n] })
const LOCK = 4_711
const WAIT = { name: 'wait', text: `select 1 from pg_advisory_lock_shared(${LOCK})` }
const FAIL = { name: 'fail', text: 'select 1 / $1::int', values: [0] }

/** A way to the database of this run that can be made to hang, to break, and to be whole again. */
async function openWay() {
  const where = inject('database')
  const { engine } = await testDatabase()
  const address = 'url' in where ? new URL(where.url) : undefined
  const open = new Set<Socket>()
  let hanging = false
  const server = createServer(near => {
    const far = engine
      ? connect(`${engine.socketDir}/.s.PGSQL.5432`)
      : connect(Number(address?.port || 5432), address?.hostname)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', bytes => void (hanging || far.write(bytes)))
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
    settings: { host: '127.0.0.1', port, application_name: 'parlance test', ...who },
    connections: () => open.size / 2,
    hang(now: boolean) {
      hanging = now
    },
    cut() {
      for (const socket of open) socket.destroy()
    }
  }
}

function openThrough(settings: object, count: number) {
  const connections = openPipelined(settings, count, () => {})
  onTestFinished(() => connections.close())
  return connections
}

describe('statements that share connections', () => {
  test('each get their own answer, even between failing ones', async () => {
    const way = await openWay()
    const connections = openThrough(way.settings, 2)
    const asked = Array.from({ length: 300 }, (_, n) =>
      n % 7 === 3 ? connections.query(FAIL) : connections.query(echo(n))
    )
    const answers = await Promise.allSettled(asked)
    for (const [n, answer] of answers.entries()) {
      if (n % 7 === 3) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
      else expect(answer).toEqual({ status: 'fulfilled', value: [{ n: n }] })
    }
    expect(way.connections()).toBe(2)
  })

  test.runIf(onPostgres)('do not wait for slow ones while a connection is free', async () => {
    const way = await openWay()
    const connections = openThrough(way.settings, 4)
    const other = await (await testDatabase()).pool.connect()
    await other.query(`select pg_advisory_lock(${LOCK})`)
    const slow = [1, 2, 3].map(() => connections.query(WAIT))
    const waiting = `select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`
    await until('three of four connections are taken', async () => (await other.query(waiting)).rows.length === 3)
    for (let n = 0; n < 20; n++) expect(await connections.query(echo(n))).toEqual([{ n }])
    await other.query(`select pg_advisory_unlock(${LOCK})`)
    other.release()
    expect(await Promise.all(slow)).toHaveLength(3)
  })

  test('fail as unavailable when their connection is lost, and the next ones take a new one', async () => {
    const way = await openWay()
    const connections = openThrough(way.settings, 1)
    await connections.query(echo(1))
    way.hang(true)
    const lost = Promise.allSettled([connections.query(echo(2)), connections.query(echo(3))])
    way.cut()
    for (const answer of await lost) expect(answer.status === 'rejected' && isUnavailable(answer.reason)).toBe(true)
    way.hang(false)
    expect(await connections.query(echo(4))).toEqual([{ n: 4 }])
  })

  test('do not wait for a connection that hangs', async () => {
    const way = await openWay()
    const connections = openThrough({ ...way.settings, query_timeout: 2_000 }, 1)
    await until('a connection answers', () => connections.query(echo(1)).catch(() => undefined))
    way.hang(true)
    const fault = await connections.query(echo(2)).catch(fault => fault)
    expect(isUnavailable(fault)).toBe(true)
    way.hang(false)
    // A busy machine may take more than these two seconds for a new connection.
    const next = await until('a new connection answers', () => connections.query(echo(3)).catch(() => undefined))
    expect(next).toEqual([{ n: 3 }])
  })

  test('are refused once the connections are closed, after those in flight were answered', async () => {
    const way = await openWay()
    const connections = openThrough(way.settings, 1)
    const underWay = connections.query(echo(1))
    await underWay
    const [answer] = await Promise.all([connections.query(echo(2)), connections.close()])
    expect(answer).toEqual([{ n: 2 }])
    await expect(connections.query(echo(3))).rejects.toThrow()
  })
})
