// @module-tag postgres

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { backUp, restore, restoreDump } from '../support/backup.ts'
import {
  fileIn,
  freshDatabase,
  jsonLines,
  migratedDatabase,
  needNoCluster,
  newOwner,
  onPostgres,
  type Place,
  rowsOf,
  run,
  runJson,
  serve,
  temporaryFolder
} from '../support/process.ts'
import { newRole } from '../support/role.ts'
import { sound } from '../support/sound.ts'

const SLOW = { timeout: 600_000 }
const runFile = promisify(execFile)

async function fill(place: Place, user: string, count: number) {
  const folder = temporaryFolder()
  fileIn(folder, 'sound.mp3', sound('a sound'))
  const files = Array.from({ length: count }, (_, index) => {
    const segments = [{ speaker: 'Ada', start: 0, end: 2, text: `Said in number ${index}.` }]
    return fileIn(
      folder,
      `${index}.json`,
      JSON.stringify({ title: `Number ${index}`, segments, media: { audio: 'sound.mp3' } })
    )
  })
  const taken = await runJson(place, 'import', '--user', user, '--wait', ...files)
  return taken.map(({ session_id }) => String(session_id))
}

/** The drill's copy, where it has not removed it. */
async function copiesLeft(place: Place, said: string) {
  const [, copy] = /restored into (parlance_drill_\w+)/.exec(said) ?? []
  expect(copy).toBeDefined()
  return await rowsOf(place, 'select datname from pg_database where datname = $1', [copy])
}

test.runIf(onPostgres)(
  'the drill restores a backup taken under writes, whole and with its feed, and leaves nothing behind',
  SLOW,
  async () => {
    const place = await migratedDatabase()
    const server = await serve({
      environment: { ...place.environment, ...UNLIMITED }
    })
    const owner = await newOwner(place)
    const ids = await fill(place, owner.id, 6)
    let writing = true
    let written = 0
    const writer = (async () => {
      const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' }
      for (let turn = 0; writing; turn++) {
        const body = JSON.stringify({ title: `Turn ${turn}` })
        const reply = await fetch(`${server.url}/v1/sessions/${ids[turn % ids.length]}`, {
          method: 'PATCH',
          body,
          headers
        })
        if (reply.ok) written++
        await reply.arrayBuffer()
        await new Promise(wake => setTimeout(wake, 20))
      }
    })()
    const environment = { PATH: process.env.PATH, ...place.environment, TOKEN: owner.token }
    const { stdout, stderr } = await runFile('ops/backup-drill.sh', { env: environment }).finally(() => {
      writing = false
    })
    await writer

    const [found] = jsonLines(stdout)
    expect(found).toMatchObject({ sessions: 6, recordings: 6, first_seq: 1 })
    expect(found?.events).toBe(found?.last_seq)
    expect(Number(found?.events)).toBeGreaterThanOrEqual(6)
    expect(written).toBeGreaterThan(0)
    expect(await copiesLeft(place, stderr)).toEqual([])
    expect(
      (await rowsOf(place, 'select count(*)::int as count from events where user_id = $1', [owner.id]))[0]
    ).toEqual({
      count: 6 + written
    })
  }
)

test.runIf(onPostgres)('the drill fails if the token has no sessions, and leaves nothing behind', SLOW, async () => {
  const place = await migratedDatabase()
  await serve(place)
  const owner = await newOwner(place)
  const environment = { PATH: process.env.PATH, ...place.environment, TOKEN: owner.token }
  const fault = await runFile('ops/backup-drill.sh', { env: environment }).catch(thrown => thrown)
  expect(fault).toMatchObject({ code: 1, stderr: expect.stringContaining('has no sessions') })
  expect(await copiesLeft(place, fault.stderr)).toEqual([])
})

/** The address of a server that closes every connection, and the number of connections it has had. */
async function countConnections() {
  let connections = 0
  const server = createServer(socket => {
    connections++
    socket.destroy()
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => connections }
}

test.runIf(onPostgres)(
  'the copy of the drill connects to no provider, mail server, collector or webhook',
  SLOW,
  async () => {
    const place = await migratedDatabase()
    const outside = await countConnections()
    const settings = { ...place.environment, WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' }
    const server = await serve({ environment: settings })
    const owner = await newOwner(place)
    const [processing] = await fill(place, owner.id, 2)
    const created = await fetch(`${server.url}/v1/webhooks`, {
      method: 'POST',
      body: JSON.stringify({ url: `http://${outside.address}/hook`, events: ['session.updated'] }),
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' }
    })
    expect(created.status).toBe(201)
    server.kill('SIGTERM')
    await server.ended
    await rowsOf(place, "update sessions set state = 'processing', summary = null where session_id = $1", [processing])
    await rowsOf(place, 'update user_counters set session_count = session_count - 1')

    const environment = {
      PATH: process.env.PATH,
      ...settings,
      TOKEN: owner.token,
      OPENAI_API_KEY: 'a key',
      OPENAI_BASE_URL: `http://${outside.address}/v1`,
      TRANSCRIPTION_MODEL: 'whisper-1',
      EMBEDDING_MODEL: 'a-model',
      EMBEDDING_BASE_URL: `http://${outside.address}/v1`,
      SMTP_URL: `smtp://${outside.address}`,
      MAIL_FROM: 'parlance@example.test',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${outside.address}`
    }
    const { stdout } = await runFile('ops/backup-drill.sh', { env: environment })
    expect(jsonLines(stdout)).toMatchObject([{ sessions: 1, recordings: 1 }])
    expect(outside.count()).toBe(0)
  }
)

describe.runIf(onPostgres)('a role that may not create the extension', () => {
  const as = (role: string, { url, environment }: Place) => {
    const changed = Object.assign(new URL(url!), { username: role, password: role })
    return { url: changed.href, environment: { ...environment, DATABASE_URL: changed.href } }
  }

  test('restores into a database that was prepared like the first', SLOW, async context => {
    needNoCluster(context)
    const backup = await backUp(await migratedDatabase())
    const place = await freshDatabase()
    const role = await newRole(place)
    await rowsOf(place, `grant create on database ${new URL(place.url!).pathname.slice(1)} to ${role}`)
    await rowsOf(place, `grant usage, create on schema public to ${role}`)
    await rowsOf(place, 'create extension vector')
    const { url, environment } = as(role, place)
    await restoreDump(backup, url)
    expect(await run({ environment }, 'migrate', '--check')).toMatchObject({ code: 0, stderr: '' })
  })

  test('gets from the drill the step that a superuser does once, with the Node of the system', SLOW, async context => {
    needNoCluster(context)
    const place = await migratedDatabase()
    const role = await newRole(place)
    await rowsOf(place, `alter role ${role} createdb`)
    await rowsOf(place, `grant ${new URL(place.url!).username} to ${role}`)
    const environment = { PATH: '/usr/bin:/bin', ...as(role, place).environment, TOKEN: 'prl_any' }
    const fault = await runFile('ops/backup-drill.sh', { env: environment }).catch(thrown => thrown)
    expect(fault).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "drill: run as a superuser, once: psql -d template1 -c 'create extension vector'\n"
      )
    })
  })
})

test('a restored backup answers as before, and its events continue', SLOW, async () => {
  const place = await migratedDatabase()
  const first = await serve(place)
  const owner = await newOwner(place)
  const ids = await fill(place, owner.id, 3)
  const paths = [
    '/v1/sessions',
    '/v1/events',
    '/v1/account',
    ...ids.flatMap(id => [`/v1/sessions/${id}`, `/v1/sessions/${id}/transcript`])
  ]
  const answersOf = async (server: typeof first) => await Promise.all(paths.map(path => server.get(path, owner.token)))
  const before = await answersOf(first)
  first.kill('SIGTERM')
  await first.ended
  const restored = await restore(await backUp(place))
  const second = await serve(restored)
  expect(await answersOf(second)).toEqual(before)
  const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json', connection: 'close' }
  await fetch(`${second.url}/v1/sessions/${ids[0]}`, { method: 'PATCH', body: '{"favorite":true}', headers })
  expect((await second.get('/v1/events?cursor=3', owner.token)).body).toMatchObject({
    events: [{ seq: 4, event: 'session.updated' }]
  })
})
