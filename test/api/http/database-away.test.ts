import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAdmissions } from '../../../src/features/access/admission.ts'
import { makeToken } from '../../../src/features/access/token-format.ts'
import { isUnavailable } from '../../../src/platform/db/errors.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { migratedDatabase, needNoCluster, onPostgres, rowsOf } from '../../support/process.ts'
import { startRaw } from '../../support/raw-server.ts'
import { buildTestApp, clock } from '../../support/server.ts'

/** A request and a transaction that need the database at that address. */
async function ask(url: string) {
  const database = await openDatabase({ url, dataDir: '', share: false, name: 'parlance test', onError: () => {} })
  const { db } = database
  onTestFinished(() => database.close())
  const rateLimits = { perMinute: 60, perDay: 1_000 }
  const app = await buildTestApp({
    db,
    slow: db,
    replica: db,
    rateLimits,
    admissions: openAdmissions(db, clock, rateLimits)
  })
  const reply = await app.inject({ url: '/v1/sessions', headers: { authorization: `Bearer ${makeToken()}` } })
  const fault = await db.transaction(async tx => tx.execute('select 1')).catch((thrown: unknown) => thrown)
  return {
    status: reply.statusCode,
    code: reply.json().error.code,
    retryAfter: reply.headers['retry-after'],
    transactionUnavailable: isUnavailable(fault)
  }
}

const UNAVAILABLE = { status: 503, code: 'service_unavailable', retryAfter: '2', transactionUnavailable: true }

/** Answers every connection, once it has said something, with these bytes. */
async function saying(...answers: (Buffer | string)[]) {
  const { port } = await startRaw(socket => {
    const left = [...answers]
    socket.on('data', () => answer(socket, left.shift()))
  })
  return `postgres://someone:secret@127.0.0.1:${port}/parlance`
}

function answer(socket: Socket, bytes: Buffer | string | undefined) {
  if (bytes === undefined) socket.end()
  else socket.write(bytes)
}

function refusal(code: string) {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mno\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, fields])
}

describe('a request that the database cannot serve now is 503 with Retry-After', () => {
  test.each([
    ['08004', 'rejects the connection'],
    ['25006', 'is read-only after a failover'],
    ['28000', 'does not let the role in'],
    ['28P01', 'knows another password'],
    ['3D000', 'does not have the database'],
    ['53300', 'has too many connections'],
    ['55000', 'does not accept connections'],
    ['55006', 'is copied at the moment'],
    ['57P03', 'is starting up'],
    ['57P04', 'was dropped']
  ])('if the server $1 ($0)', async code => {
    expect(await ask(await saying(refusal(code)))).toEqual(UNAVAILABLE)
  })

  test('if the server closes every connection', async () => {
    expect(await ask(await saying())).toEqual(UNAVAILABLE)
  })

  test('if the server offers no TLS, or broken TLS', async () => {
    expect(await ask(`${await saying('N')}?sslmode=no-verify`)).toEqual(UNAVAILABLE)
    expect(await ask(`${await saying('S', 'this is not TLS')}?sslmode=no-verify`)).toEqual(UNAVAILABLE)
  })

  test('if the server asks for a password by an unknown method', async () => {
    const sasl = Buffer.from('R\0\0\0\u0013\0\0\0\u000aUNKNOWN\0\0\0\0')
    sasl.writeInt32BE(sasl.length - 1, 1)
    expect(await ask(await saying(sasl))).toEqual(UNAVAILABLE)
  })

  test('if the server accepts the connection and never answers', async () => {
    const { port } = await startRaw(() => {})
    expect(await ask(`postgres://someone:secret@127.0.0.1:${port}/parlance`)).toEqual(UNAVAILABLE)
  })
})

describe.runIf(onPostgres)(
  'a request that a real database server refuses is 503 with Retry-After',
  { tags: ['postgres'] },
  () => {
    test('if the server has another password, no such role or no such database', async context => {
      needNoCluster(context)
      const { host, username, password, pathname } = new URL((await migratedDatabase()).url!)
      expect(await ask(`postgres://${username}:another@${host}${pathname}`)).toEqual(UNAVAILABLE)
      expect(await ask(`postgres://nobody_here:${password}@${host}${pathname}`)).toEqual(UNAVAILABLE)
      expect(await ask(`postgres://${username}:${password}@${host}/nothing_here`)).toEqual(UNAVAILABLE)
    })

    test('if the server accepts no connections to the database', async () => {
      const [closed, other] = [await migratedDatabase(), await migratedDatabase()]
      await rowsOf(other, `alter database ${new URL(closed.url!).pathname.slice(1)} allow_connections false`)
      expect(await ask(closed.url!)).toEqual(UNAVAILABLE)
    })
  }
)
