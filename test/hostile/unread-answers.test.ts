import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { answerBudget } from '../../src/interfaces/http/transport/unread-answers.ts'
import { sql } from '../../src/platform/db/drizzle.ts'
import { memoryLimit } from '../../src/platform/work/memory-limit.ts'
import { collectGarbage } from '../support/garbage.ts'
import { portOf } from '../support/http.ts'
import { buildTestApp, newUserOf, testDatabase } from '../support/server.ts'

const SLOW = { timeout: 600_000 }
/** A busy machine may take longer to make all answers than a server waits for the reader of one. */
const PATIENT = { stallTimeoutMs: SLOW.timeout }
const SEGMENTS = Array.from({ length: 20_000 }, (_, at) => ({
  speaker: at % 2 === 0 ? 'Ada' : 'Ben',
  start: at,
  end: at + 1,
  text: `${'The team talks about the spring order and what it needs. '.repeat(3)}${at}`
}))

async function listening() {
  const app = await buildTestApp({}, PATIENT)
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const user = await newUserOf({ db: (await testDatabase()).db, app })
  const path = `/v1/sessions/${await user.session({ segments: SEGMENTS })}`
  const get = (what: string) =>
    fetch(app.listeningOrigin + path + what, { headers: { authorization: `Bearer ${user.token}` } })
  const bytes = (await (await get('/transcript')).arrayBuffer()).byteLength

  /** Sends a request, reads the beginning of its answer and stops reading. Resolves to that beginning and what reads the rest. */
  async function hold(method: string, what: string, body = '') {
    const socket = connect(portOf(app), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    socket.write(
      `${method} ${path}${what} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
    )
    const [begun]: Buffer[] = await once(socket, 'data')
    socket.pause()
    const read = async () => {
      socket.resume()
      if (!socket.closed) await once(socket, 'close')
    }
    return { status: Number(begun!.toString().split(' ')[1]), begun: begun!.toString(), read }
  }
  /** Sends a request, and closes the connection when the server has it. */
  async function leave(what: string) {
    const socket = connect(portOf(app), '127.0.0.1')
    const arrived = once(app.server, 'request')
    socket.write(`GET ${path}${what} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user.token}\r\n\r\n`)
    await arrived
    socket.destroy()
  }
  return {
    user,
    get,
    leave,
    hold,
    bytes,
    fit: Math.floor(answerBudget(memoryLimit()).perOwner / bytes),
    newUser: () => newUserOf(user)
  }
}

test('answers that nobody reads take a bounded part of memory, and room again when they are read', SLOW, async () => {
  const { get, hold, fit } = await listening()
  const held = []
  for (let turn = 0; turn < fit + 3; turn++) held.push(await hold('GET', '/transcript'))
  expect(held.map(({ status }) => status)).toEqual([...Array(fit).fill(200), 503, 503, 503])
  const refused = await get('/transcript.txt')
  expect([refused.status, refused.headers.get('content-type'), refused.headers.get('retry-after')]).toEqual([
    503,
    'application/json; charset=utf-8',
    '5'
  ])
  expect(await refused.json()).toMatchObject({ error: { code: 'service_unavailable' } })
  await Promise.all(held.map(({ read }) => read()))
  expect((await get('/transcript')).status).toBe(200)
})

test('those who leave before their answer is made take no part of it', SLOW, async () => {
  const { get, leave, fit } = await listening()
  for (let turn = 0; turn < 2 * fit; turn++) await leave('/transcript')
  await expect.poll(async () => (await get('/transcript')).status).toBe(200)
})

test('an answer that nobody reads takes its own bytes of memory', SLOW, async () => {
  const { hold, bytes, fit } = await listening()
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  for (let turn = 0; turn < fit; turn++) await hold('GET', '/transcript')
  collectGarbage()
  expect((process.memoryUsage().arrayBuffers - before) / (fit * bytes)).toBeLessThan(1.5)
})

test('a correction is refused before it changes anything while answers are not read', SLOW, async () => {
  const { user, get, hold, fit } = await listening()
  const held = []
  for (let turn = 0; turn < fit; turn++) held.push(await hold('GET', '/transcript'))
  // What is left of the budget takes one more change, whose own answer goes beyond it.
  const rename = (from: string, name: string) => hold('PATCH', '/speakers', JSON.stringify({ from, name }))
  held.push(await rename('Ada', 'Grace'))
  expect(held.at(-1)?.status).toBe(200)
  const refused = await rename('Grace', 'Ada')
  expect([refused.status, refused.begun]).toEqual([503, expect.stringContaining('Large answers are waiting')])
  expect((await user.get('/v1/people')).body.people).toMatchObject([{ name: 'Grace' }])
  await Promise.all(held.map(({ read }) => read()))
  expect((await get('/transcript')).status).toBe(200)
})

test('the answers of another user go out meanwhile', SLOW, async () => {
  const { hold, fit, newUser } = await listening()
  for (let turn = 0; turn < fit + 1; turn++) await hold('GET', '/transcript')
  const other = await newUser()
  const session = await other.session({ segments: SEGMENTS })
  expect((await other.get(`/v1/sessions/${session}/transcript`)).status).toBe(200)
})

test(
  'an answer that is larger than the room of a user is sent alone, and a second one not until it is read',
  SLOW,
  async () => {
    const { user, get, hold } = await listening()
    // As long as a transcript gets when both speakers of 60,000 segments get the longest names.
    await user.db.execute(sql`
    update transcripts set segments = (select jsonb_agg(jsonb_build_object('speaker', n % 2 || repeat('語', 199), 'start', n, 'end', n + 1, 'text', 'Yes.')
      order by n) from generate_series(0, 59999) n) where user_id = ${user.id}`)
    expect((await (await get('/transcript')).arrayBuffer()).byteLength).toBeGreaterThan(LIMITS.openAnswers.perOwner)
    const held = await hold('GET', '/transcript')
    expect([held.status, (await hold('GET', '/transcript')).status]).toEqual([200, 503])
    await held.read()
    expect((await get('/transcript')).status).toBe(200)
  }
)
