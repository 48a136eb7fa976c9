import { once } from 'node:events'
import { connect } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openLongReads } from '../../../src/features/access/long-reads.ts'
import { openTranscriptWriter } from '../../../src/features/transcripts/writer/writer.ts'
import { newBrowser, signInAs } from '../../support/console.ts'
import { portOf } from '../../support/http.ts'
import { buildTestApp, testServer } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const TEXT = 'The team talks about the spring order and what it needs. '.repeat(40)
const SEGMENTS = Array.from({ length: 200 }, (_, at) => ({
  speaker: 'Ada',
  start: at,
  end: at + 1,
  text: `${TEXT}${at}`
}))

async function serving(answerTimeoutMs: number, segments = SEGMENTS) {
  const logged: { msg: string; err?: { code?: string } }[] = []
  const logger = pino({ level: 'info' }, { write: line => void logged.push(JSON.parse(line)) })
  const longReads = openLongReads()
  const writer = openTranscriptWriter(longReads)
  const app = await buildTestApp({ longReads, writer }, { answerTimeoutMs, logger })
  app.get('/v1/late', { config: { scopes: 'public' }, schema: { hide: true } }, () => new Promise(() => {}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    await writer.close()
  })
  const user = await newSharer()
  const id = await user.session({ segments })
  const browser = newBrowser(await testServer())
  await signInAs(browser, user.email)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return { app, writer, logged, cookie, path: `/s/${id}` }
}

test('a page that is not made in time is 503 once, with Retry-After, and its connection takes the next request', async () => {
  // A process that writes a long transcript takes longer to start.
  const { app, path, cookie, logged, writer } = await serving(100)
  const socket = connect(portOf(app), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.setEncoding('utf8').on('data', (data: string) => {
    received += data
  })
  const ask = (url: string) => socket.write(`GET ${url} HTTP/1.1\r\nHost: parlance.test\r\nCookie: ${cookie}\r\n\r\n`)
  ask(path)
  await expect.poll(() => received).toContain('</html>')
  expect(received).toMatch(/^HTTP\/1\.1 503 /)
  expect(received).toMatch(/\r\nretry-after: \d+\r\n/)
  expect(received).toContain('This did not work')
  // The process has then made the lines of the page.
  await writer.quote({ segments: async () => JSON.stringify(SEGMENTS), first: 0, characters: 1 }, 'usr_other')
  ask('/v1/nothing')
  await expect.poll(() => received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 404'])
  socket.end()
  await once(socket, 'close')
  expect(received.match(/<\/html>/g)?.length).toBe(1)
  expect(logged.filter(({ err }) => err?.code === 'FST_ERR_REP_ALREADY_SENT')).toEqual([])
  expect(logged.slice(1).map(({ msg }) => msg)).toEqual(['page failed', 'request', 'request'])
})

test('a page that a slow reader has begun to read goes on beyond the time for an answer', async () => {
  const segments = Array.from({ length: 40_000 }, (_, at) => ({
    speaker: 'Ada',
    start: at,
    end: at + 1,
    text: `Words ${at}.`
  }))
  const { app, writer, path, cookie } = await serving(5_000, segments)
  await writer.quote({ segments: async () => JSON.stringify(SEGMENTS), first: 0, characters: 1 }, 'usr_other')
  const origin = `http://127.0.0.1:${portOf(app)}`
  const page = await fetch(origin + path, { headers: { cookie, 'accept-encoding': 'identity' } })
  // A request that is sent after the page has begun reaches its limit before the rest is read.
  expect((await fetch(`${origin}/v1/late`)).status).toBe(503)
  const text = await page.text()
  expect([page.status, text.match(/ data-s="/g)?.length, text.endsWith('</html>\n')]).toEqual([
    200,
    segments.length,
    true
  ])
})
