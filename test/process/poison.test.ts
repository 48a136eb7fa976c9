// @module-tag postgres

import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { FAILURES } from '../../src/features/library/failure-reason.ts'
import { UNLIMITED } from '../faults/load.ts'
import { startProxy } from '../faults/proxy.ts'
import { type AiRequest, goodMinutes, hang, startAiServer } from '../support/ai-server.ts'
import {
  endOf,
  fileIn,
  migratedDatabase,
  newOwner,
  onPostgres,
  openPlace,
  type Place,
  rowsOf,
  type Serving,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

const SLOW = { timeout: 600_000 }
const POISON = 'A word that no server survives.'
const isPoison = ({ body }: AiRequest) => Boolean(body.messages?.at(-1)?.content.includes(POISON))

/** A database, and a provider that makes summaries. */
async function newPlace() {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  const fresh = await migratedDatabase()
  const settings = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url, EMBEDDING_MODEL: 'none' }
  const place: Place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED, ...settings } }
  return { provider, place }
}

async function post(server: Serving, token: string, path: string, body: object = {}) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const reply = await fetch(`${server.url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: reply.status, body: (await reply.json()) as { id: string } }
}

async function newSession(server: Serving, token: string, text: string) {
  const { status, body } = await post(server, token, '/sessions', { segments: [{ speaker: 'Ada', text }] })
  expect(status).toBe(202)
  return body.id
}

async function sessionOf(server: Serving, token: string, id: string) {
  return (await server.get(`/v1/sessions/${id}`, token)).body as { status: string; failure_reason: string | null }
}

async function isCompleted(server: Serving, token: string, id: string) {
  return (await sessionOf(server, token, id)).status === 'completed'
}

/** The attempts that count at each session, by its id. */
async function openAttempts(place: Place) {
  const rows = await rowsOf(place, 'select session_id, open_attempts from sessions')
  return new Map(rows.map(({ session_id, open_attempts }) => [session_id, open_attempts]))
}

/** As after the half minute in which a job of a killed process is released and waits for its retry. */
async function releaseJobs(place: Place) {
  const { pool, close } = await openPlace(place)
  await pool.query(
    `update pgboss.job set state = 'retry', heartbeat_on = null, start_after = created_on where state = 'active'`
  )
  await close()
}

test(
  'a conversation that kills its server is tried alone, and fails after the third time; the server and all others go on',
  SLOW,
  async () => {
    const { provider, place } = await newPlace()
    const [one, other] = [await newOwner(place), await newOwner(place)]
    const receiver = await startReceiver()
    let server = await serve(place)
    const hook = await post(server, one.token, '/webhooks', { url: receiver.url, events: ['session.failed'] })
    expect(hook.status).toBe(201)

    // Three are at work when the first one kills the server.
    provider.answer('chat', hang)
    const poison = await newSession(server, one.token, POISON)
    const good = [await newSession(server, one.token, 'I will send the offer.')]
    good.push(await newSession(server, other.token, 'I will call them.'))
    await until('all are at work', () => provider.requests.length === 3)
    expect(await openAttempts(place)).toEqual(new Map([poison, ...good].map(id => [id, 1])))

    // It kills the server again and again, while more waits for its turn.
    const atWork = new Map<object, boolean>()
    let [kills, overlaps] = [0, 0]
    let victim: Serving | undefined
    provider.answer('chat', (request, response) => {
      if (atWork.size > 0 && (isPoison(request) || [...atWork.values()].includes(true))) overlaps++
      atWork.set(response, isPoison(request))
      response.on('close', () => atWork.delete(response))
      if (!isPoison(request)) return void setTimeout(() => goodMinutes(request, response), 500)
      const kill = async () => {
        const target = await until('more waits for its turn', () => victim)
        victim = undefined
        kills++
        target.kill('SIGKILL')
      }
      setTimeout(kill, 2_000)
    })
    server.kill('SIGKILL')
    for (const times of [1, 2]) {
      await endOf(server)
      await releaseJobs(place)
      server = await serve(place)
      good.push(await newSession(server, other.token, `I will write number ${times}.`))
      victim = server
      await until('it has killed the server again', () => kills === times)
    }
    await endOf(server)
    await releaseJobs(place)
    server = await serve(place)

    await until('it has failed', async () => (await sessionOf(server, one.token, poison)).status === 'failed')
    expect(await sessionOf(server, one.token, poison)).toMatchObject({ failure_reason: FAILURES.endedServer })
    await until('its owner hears of it', () => receiver.received.length > 0)
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { event: 'session.failed', data: { session: { id: poison, failure_reason: FAILURES.endedServer } } }
    ])
    for (const [at, id] of good.entries()) {
      const { token } = at === 0 ? one : other
      await until('the others are completed', () => isCompleted(server, token, id))
    }
    expect({ kills, overlaps }).toEqual({ kills: 2, overlaps: 0 })

    // Its owner decides that it is tried again.
    provider.answer('chat', goodMinutes)
    expect((await post(server, one.token, `/sessions/${poison}/retry`)).status).toBe(202)
    await until('it is completed', () => isCompleted(server, one.token, poison))
    expect(new Set((await openAttempts(place)).values())).toEqual(new Set([0]))
  }
)

test('a session whose server is stopped gracefully three times is completed', SLOW, async () => {
  const { provider, place } = await newPlace()
  const { token } = await newOwner(place)
  provider.answer('chat', hang)
  let server = await serve(place)
  const id = await newSession(server, token, 'I will send the offer.')
  for (const stops of [1, 2, 3]) {
    await until('it is at work', () => provider.requests.length === stops)
    expect(await openAttempts(place)).toEqual(new Map([[id, 1]]))
    server.kill('SIGTERM')
    expect(await endOf(server)).toMatchObject({ code: 0 })
    expect(await openAttempts(place)).toEqual(new Map([[id, 0]]))
    if (stops === 3) provider.answer('chat', goodMinutes)
    server = await serve(place)
  }
  await until('it is completed', () => isCompleted(server, token, id))
})

test('an error that ends the server counts as its death', { ...SLOW, tags: ['postgres'] }, async () => {
  const { provider, place } = await newPlace()
  const { token } = await newOwner(place)
  provider.answer('chat', hang)
  const program = `process.on('SIGUSR2', () => { throw new Error('an error of a job') })`
  const NODE_OPTIONS = `--import ${fileIn(temporaryFolder(), 'throwing.mjs', program)}`
  const server = await serve({ ...place, environment: { ...place.environment, NODE_OPTIONS } })
  const id = await newSession(server, token, 'I will send the offer.')
  await until('it is at work', () => provider.requests.length === 1)
  server.kill('SIGUSR2')
  expect(await endOf(server)).toMatchObject({ code: 1 })
  expect(await openAttempts(place)).toEqual(new Map([[id, 1]]))
})

test.runIf(onPostgres)('an outage of the database while a session is processed does not count', SLOW, async () => {
  const { provider, place } = await newPlace()
  const { token } = await newOwner(place)
  const address = new URL(place.url ?? '')
  const proxy = await startProxy(Number(address.port || 5432))
  address.host = `127.0.0.1:${proxy.port}`
  const held: (() => void)[] = []
  provider.answer('chat', (request, response) => void held.push(() => goodMinutes(request, response)))
  const server = await serve({ ...place, environment: { ...place.environment, DATABASE_URL: address.href } })
  const id = await newSession(server, token, 'I will send the offer.')
  await until('it is at work', () => held.length === 1)
  provider.answer('chat', goodMinutes)
  expect(await openAttempts(place)).toEqual(new Map([[id, 1]]))
  const outage = setInterval(proxy.reset, 5)
  onTestFinished(() => clearInterval(outage))
  await until('the outage is noticed', () => server.output.stdout.includes('the database is unavailable'))
  held[0]?.()
  await wait(5_000)
  clearInterval(outage)
  await until('it is completed', () => isCompleted(server, token, id).catch(() => false))
  expect(server.output.stdout).not.toContain('an attempt at this session did not end')
})
