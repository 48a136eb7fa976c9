// @module-tag both

import { once } from 'node:events'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { inOneMinute } from '../support/minute.ts'
import {
  endOf,
  fileIn,
  freshDatabase,
  migratedDatabase,
  newOwner,
  onPostgres,
  readiness,
  ready,
  rowsOf,
  run,
  runJson,
  type Serving,
  serve,
  serverPorts,
  start,
  startServe,
  temporaryFolder,
  until
} from '../support/process.ts'

const ACCOUNT = (id: string, count = 0) => ({
  status: 200,
  body: {
    user_id: id,
    subscription_active: true,
    session_count: count,
    quotas: expect.anything(),
    retention: { audio_days: null, session_days: null },
    token: expect.anything()
  }
})
const INVALID_TOKEN = { status: 401, body: { error: { code: 'invalid_token', message: expect.any(String) } } }

test('a server starts on an empty database, and a token created beside it works at once', {
  timeout: 300_000
}, async () => {
  const place = await freshDatabase()
  const server = await serve(place)
  const [user] = await runJson(place, 'user', 'create', '--email', 'ada@example.test')
  const [token] = await runJson(
    place,
    'token',
    'create',
    '--user',
    'ada@example.test',
    '--name',
    'test',
    '--scopes',
    'all'
  )
  expect(await server.get('/v1/account', String(token?.token))).toEqual(ACCOUNT(String(user?.id)))
})

test('a revoked token is refused by the next request', { timeout: 300_000 }, async () => {
  const place = await migratedDatabase()
  const server = await serve(place)
  const owner = await newOwner(place)
  expect(await server.get('/v1/account', owner.token)).toEqual(ACCOUNT(owner.id))
  await runJson(place, 'token', 'revoke', owner.tokenId)
  expect(await server.get('/v1/account', owner.token)).toEqual(INVALID_TOKEN)
})

test('on SIGTERM a server is no longer ready, then finishes requests in flight, then ends with 0', {
  timeout: 300_000
}, async () => {
  const place = await migratedDatabase()
  // On a busy machine, a request may take longer than the usual time until no more connections are taken.
  const server = await serve({ environment: { ...place.environment, DRAIN_SECONDS: '5' } })
  const owner = await newOwner(place)
  let answered = false
  const slow = await beginRequest(server, owner.token, JSON.stringify({ name: 'Clients' }))
  const answer = slow.answer.finally(() => {
    answered = true
  })

  server.kill('SIGTERM')
  await until('it is not ready', async () => (await readiness(server.adminUrl)) === 503)
  expect((await server.get('/v1/openapi.json')).status).toBe(200)
  await until('it takes no more connections', () =>
    server.get('/v1/openapi.json').then(
      () => false,
      () => true
    )
  )
  expect(answered).toBe(false)
  slow.end()
  expect(await answer).toMatchObject({ status: 201, body: { name: 'Clients' } })
  expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
})

/** Begins a request that makes a folder. The server has its head when this returns, and gets its body from `end`. */
async function beginRequest({ url }: Serving, token: string, body: string) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    expect: '100-continue'
  }
  const sent = request(`${url}/v1/folders`, { method: 'POST', headers, agent: false })
  const answer = once(sent, 'response').then(async ([reply]) => ({ status: reply.statusCode, body: await json(reply) }))
  sent.flushHeaders()
  await once(sent, 'continue')
  return { answer, end: () => sent.end(body) }
}

test('Ctrl-C ends a server as well, at once if nothing is in flight', {
  timeout: 300_000,
  tags: ['postgres']
}, async () => {
  const place = await migratedDatabase()
  const server = await serve(place)
  server.kill('SIGINT')
  expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
})

test('a server that ends waits for no connection that has sent nothing, or a part of a head, on both ports', {
  timeout: 300_000,
  tags: ['postgres']
}, async () => {
  const server = await serve(await migratedDatabase())
  for (const url of [server.url, server.adminUrl]) {
    for (const begun of ['', 'GET / HTTP/1.1\r\n']) {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.write(begun)
    }
  }
  server.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
})

test.runIf(!onPostgres)(
  'a second server on the same data folder stops with one sentence, and the first continues',
  { timeout: 300_000 },
  async () => {
    const place = await migratedDatabase()
    const first = await serve(place)
    const second = await startServe(place)
    expect(await second.ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `Another process has the database in ${place.dataDir} open; stop it, or choose another DATA_DIR\n`
    })
    const owner = await newOwner(place)
    expect(await first.get('/v1/account', owner.token)).toEqual(ACCOUNT(owner.id))
  }
)

test.each(['PORT', 'ADMIN_PORT'])(
  'a server stops with one sentence and 1 when the port of %s is taken',
  { timeout: 300_000, tags: ['postgres'] },
  async taken => {
    const place = await migratedDatabase()
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as { port: number }
    const ports = { ...(await serverPorts()), [taken]: String(port) }
    const server = start({ ...place.environment, ...ports, LOG_LEVEL: 'error' }, ['serve'])
    await until('it has said why', () => server.output.stderr)
    expect(await endOf(server)).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `${taken}: another process has port ${port} at 127.0.0.1; stop it, or choose another ${taken}\n`
    })
  }
)

test('a killed server starts again with everything that was acknowledged', { timeout: 300_000 }, async () => {
  const place = await migratedDatabase()
  const folder = temporaryFolder()
  const files = Array.from({ length: 5 }, (_, index) =>
    fileIn(folder, `talk-${index}.txt`, `Ada: Point number ${index}.`)
  )
  const killed = await serve(place)
  const owner = await newOwner(place)
  const imported = await runJson(place, 'import', '--user', owner.email, '--wait', ...files)
  killed.kill('SIGKILL')
  expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })

  const again = await serve(place)
  expect(await again.get('/v1/account', owner.token)).toEqual(ACCOUNT(owner.id, 5))
  for (const { session_id } of imported) {
    expect(await again.get(`/v1/sessions/${session_id}`, owner.token)).toMatchObject({
      status: 200,
      body: { id: session_id }
    })
  }
  expect((await newOwner(place)).id).toMatch(/^usr_/)
})

test('a kill keeps everything that a command acknowledged right before it', { timeout: 300_000 }, async () => {
  const place = await migratedDatabase()
  const server = await serve(place)
  const commands = Array.from({ length: 4 }, (_, index) =>
    run(place, 'user', 'create', '--email', `${index}@example.test`, '--json')
  )
  const first = await Promise.race(commands)
  server.kill('SIGKILL')
  const acknowledged = (await Promise.all(commands))
    .filter(({ code }) => code === 0)
    .map(({ stdout }) => JSON.parse(stdout).id)
  expect(first.code).toBe(0)
  const kept = (await rowsOf(place, 'select user_id from users')).map(({ user_id }) => user_id)
  expect(kept).toEqual(expect.arrayContaining(acknowledged))
})

test.runIf(onPostgres)(
  'a token revoked beside one server is refused by the next request on another',
  { timeout: 300_000 },
  async () => {
    const place = await migratedDatabase()
    const servers = [await serve(place), await serve(place)]
    const owner = await newOwner(place)
    const answers = () => Promise.all(servers.map(server => server.get('/v1/account', owner.token)))
    expect(await answers()).toEqual([ACCOUNT(owner.id), ACCOUNT(owner.id)])
    await runJson(place, 'token', 'revoke', owner.tokenId)
    expect(await answers()).toEqual([INVALID_TOKEN, INVALID_TOKEN])
  }
)

test.runIf(onPostgres)(
  'exactly 60 of 200 requests at once over two servers with one token pass',
  { timeout: 300_000 },
  async () => {
    const place = await migratedDatabase()
    const servers = await Promise.all([startServe(place), startServe(place)])
    await Promise.all(servers.map(ready))
    const { result: answers } = await inOneMinute(async () => {
      const { token } = await newOwner(place)
      return await Promise.all(Array.from({ length: 200 }, (_, index) => servers[index % 2]!.get('/v1/account', token)))
    })
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(60).fill(200), ...Array(140).fill(429)])
  }
)
