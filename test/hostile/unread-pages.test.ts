import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { openLongReads } from '../../src/features/access/long-reads.ts'
import { openTranscriptWriter } from '../../src/features/transcripts/writer/writer.ts'
import { sql } from '../../src/platform/db/drizzle.ts'
import { type Browser, newBrowser, signInAs } from '../support/console.ts'
import { portOf } from '../support/http.ts'
import { buildTestApp, type Served, testDatabase } from '../support/server.ts'
import { inviteTo, newSharer } from '../support/sharing.ts'

const SLOW = { timeout: 600_000 }
const { users, guests, stallMs } = LIMITS.longReads
const BUSY = { status: 503, retryAfter: '5' }
const SEGMENTS = Array.from({ length: 20_000 }, (_, at) => ({
  speaker: at % 2 === 0 ? 'Ada' : 'Ben',
  start: at,
  end: at + 1,
  text: `${'The team talks about the spring order and what it needs. '.repeat(3)}${at}`
}))

const SHORT = [{ speaker: 'Cleo', text: 'Say "yes".' }]

type Headers = Record<string, string>

/** An application of its own, an owner, and a long session of theirs. */
async function listening() {
  const longReads = openLongReads()
  const writer = openTranscriptWriter(longReads)
  const app = await buildTestApp({ longReads, writer })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    await writer.close()
  })
  const served: Served = { db: (await testDatabase()).db, app }
  const owner = await newSharer({}, served)
  const id = await owner.session({ segments: SEGMENTS })

  /** Sends a request on a connection of its own, reads the beginning of the answer and stops reading. */
  async function hold(path: string, headers: Headers, body?: string) {
    const socket = connect(portOf(app), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    const fields = { host: 'parlance.test', connection: 'close', ...headers }
    const length = body === undefined ? [] : [`content-length: ${body.length}`, 'content-type: application/json']
    const lines = [...Object.entries(fields).map(([name, value]) => `${name}: ${value}`), ...length]
    socket.write(
      `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
    )
    const [begun]: Buffer[] = await once(socket, 'data')
    socket.pause()
    const head = String(begun)
    const status = Number(head.split(' ')[1])
    return { status, retryAfter: /retry-after: (\d+)/.exec(head)?.[1], socket }
  }
  return { served, owner, id, hold }
}

const cookiesOf = ({ cookies }: Browser) => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
})

async function guestOf({ served, owner, id }: Awaited<ReturnType<typeof listening>>) {
  const page = new URL(await inviteTo(owner, id, `${Math.random()}@example.com`)).pathname
  const guest = newBrowser(served)
  await guest.submit(page, page)
  return guest
}

describe('the page of a shared session', () => {
  test('is refused to a guest who does not read the pages before it, and to nobody else', SLOW, async () => {
    const opened = await listening()
    const { owner, id, hold } = opened
    const [guest, other] = [await guestOf(opened), await guestOf(opened)]
    const shared = `/shared/${owner.id}/${id}`
    const held = []
    for (let turn = 0; turn < guests.perOwner; turn++) held.push(await hold(shared, cookiesOf(guest)))
    expect(held.map(({ status }) => status)).toEqual(Array(guests.perOwner).fill(200))
    expect(await hold(shared, cookiesOf(guest))).toMatchObject(BUSY)
    expect(await hold(shared, cookiesOf(other))).toMatchObject({ status: 200 })
    for (const { socket } of held) socket.destroy()
    await expect.poll(async () => (await guest.get(shared)).status).toBe(200)
  })

  test('takes no place of those who leave before it is made', SLOW, async () => {
    const opened = await listening()
    const { served, owner, id } = opened
    const guest = await guestOf(opened)
    const shared = `/shared/${owner.id}/${id}`
    for (let turn = 0; turn < 2 * guests.perOwner; turn++) {
      const socket = connect(portOf(served.app), '127.0.0.1')
      await once(socket, 'connect')
      socket.end(`GET ${shared} HTTP/1.1\r\nHost: parlance.test\r\nCookie: ${cookiesOf(guest).cookie}\r\n\r\n`)
      await new Promise(done => setImmediate(done))
      socket.destroy()
    }
    await expect.poll(async () => (await guest.get(shared)).status).toBe(200)
  })

  test('has all lines, also compressed', SLOW, async () => {
    const opened = await listening()
    const guest = await guestOf(opened)
    const { body } = await guest.get(`/shared/${opened.owner.id}/${opened.id}`)
    expect(body.match(/ data-s="/g)).toHaveLength(SEGMENTS.length)
    expect(body.endsWith('</div></main>\n</body>\n</html>\n')).toBe(true)
    const origin = opened.served.app.listeningOrigin
    const zipped = await fetch(`${origin}/shared/${opened.owner.id}/${opened.id}`, {
      headers: { ...cookiesOf(guest), 'accept-encoding': 'br' }
    })
    expect([zipped.headers.get('content-encoding'), (await zipped.text()).match(/ data-s="/g)?.length]).toEqual([
      'br',
      SEGMENTS.length
    ])
  })
})

describe('the page of an own session', () => {
  test('is refused while too many are not read, and comes again when they are', SLOW, async () => {
    const { served, owner, id, hold } = await listening()
    const browser = newBrowser(served)
    await signInAs(browser, owner.email, served)
    const held = []
    for (let turn = 0; turn < users.perOwner; turn++) held.push(await hold(`/s/${id}`, cookiesOf(browser)))
    expect(held.map(({ status }) => status)).toEqual(Array(users.perOwner).fill(200))
    expect(await hold(`/s/${id}`, cookiesOf(browser))).toMatchObject(BUSY)
    const short = await owner.session()
    expect((await browser.get(`/s/${short}`)).status, 'a short one').toBe(200)
    for (const { socket } of held) socket.resume()
    await expect.poll(async () => (await browser.get(`/s/${id}`)).status).toBe(200)
  })

  test(`is ended after ${stallMs / 1_000} s in which nobody reads`, SLOW, async () => {
    const { served, owner, id, hold } = await listening()
    const browser = newBrowser(served)
    await signInAs(browser, owner.email, served)
    const startedAt = performance.now()
    const { status, socket } = await hold(`/s/${id}`, cookiesOf(browser))
    expect(status).toBe(200)
    await expect.poll(() => openConnections(served), { timeout: 60_000 }).toBe(0)
    expect(performance.now() - startedAt).toBeGreaterThan(stallMs * 0.9)
    socket.destroy()
  })
})

function openConnections({ app }: Served) {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  )
}

describe('a bulk export', () => {
  /** The transcripts of an export that is larger than what waits in the buffers of a connection. */
  const TRANSCRIPTS = 5

  async function manyLong() {
    const opened = await listening()
    const { served, owner, id } = opened
    const copies = await Promise.all(Array.from({ length: TRANSCRIPTS - 1 }, () => owner.session({ segments: SHORT })))
    await served.db.execute(sql`
      update transcripts set segments = (select segments from transcripts where user_id = ${owner.id} and session_id = ${id})
      where user_id = ${owner.id}`)
    const body = JSON.stringify({ session_ids: [id, ...copies], include_transcript: true })
    const hold = () => opened.hold('/v1/sessions/bulk', { authorization: `Bearer ${owner.token}` }, body)
    return { hold }
  }

  test('is refused while too many are not read, and ended where nobody reads', SLOW, async () => {
    const { hold } = await manyLong()
    const held = []
    for (let turn = 0; turn < users.perOwner; turn++) held.push(await hold())
    expect(held.map(({ status }) => status)).toEqual(Array(users.perOwner).fill(200))
    expect(await hold()).toMatchObject(BUSY)
    const again = async () => (await hold()).status
    await expect.poll(again, { timeout: 60_000, interval: 1_000 }).toBe(200)
  })

  test('has the whole text of each transcript', SLOW, async () => {
    const { owner, id } = await listening()
    const short = await owner.session({ segments: SHORT })
    const none = await owner.session({
      summary: 'Given.',
      segments: [],
      media: { audio: 'https://media.example/a.mp3' }
    })
    const request = { session_ids: [id, short, 'ses_none', none], include_transcript: true }
    const { status, body } = await owner.post('/v1/sessions/bulk', request)
    const [long, ...others] = body.sessions as { id: string; transcript: string }[]
    expect([status, body.errors, others.map(({ id, transcript }) => [id, transcript])]).toEqual([
      200,
      [{ id: 'ses_none', error: 'not_found' }],
      [
        [short, 'Cleo: Say "yes".'],
        [none, null]
      ]
    ])
    expect(long?.transcript).toBe(SEGMENTS.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n'))
  })
})
