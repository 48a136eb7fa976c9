import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openWebhookClient, type WebhookClient } from '../../../src/features/webhooks/client.ts'
import { certificateFor, startHttpsServer, trust } from '../../support/https-server.ts'
import { startRaw } from '../../support/raw-server.ts'
import { type Answer, startReceiver } from '../../support/receiver.ts'

const LOCAL = { allowHttp: true, allowedCidrs: ['127.0.0.0/8'] }
const BODY = JSON.stringify({ text: 'Grüße 😀' })

function openClient(): WebhookClient {
  const client = openWebhookClient(LOCAL)
  onTestFinished(() => client.close())
  return client
}

function post(client: WebhookClient, url: string, timeoutMs = 60_000, signal?: AbortSignal) {
  return client.post({ url, headers: { 'X-Test': '1' }, body: BODY, timeoutMs, ...(signal && { signal }) })
}

/** A receiver that does with a connection what it likes. */
async function startReceiving(onConnection: (socket: Socket, number: number) => void) {
  const { port, sockets } = await startRaw(onConnection)
  return { url: `http://127.0.0.1:${port}/hook`, sockets }
}

/** A receiver with a certificate of an authority that this process trusts, unless told otherwise, until the test is over. */
async function startHttps({ host = '127.0.0.1', days = 1, trusted = true }) {
  const certificate = certificateFor(host, days)
  if (trusted) trust(certificate.authority)
  return `https://127.0.0.1:${await startHttpsServer(certificate)}/`
}

const respond = (text: string) => (socket: Socket) => void socket.once('data', () => socket.write(text))

test('posts the body byte for byte as JSON, with the headers and its own name', async () => {
  const receiver = await startReceiver()
  const outcome = await post(openClient(), `${receiver.url}?a=b%20c`)
  expect(outcome).toEqual({
    status: 204,
    error: null,
    durationMs: expect.any(Number),
    retryAfter: null,
    answer: '',
    answerHeaders: expect.stringMatching(/^date: .*GMT$/)
  })
  expect(receiver.received).toMatchObject([
    {
      path: '/hook?a=b%20c',
      body: BODY,
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(BODY)),
        'x-test': '1',
        'user-agent': 'Parlance-Webhooks/1.0'
      }
    }
  ])
})

describe('an answer', () => {
  test.each<[string, Answer, object]>([
    ['500', 500, { status: 500, error: 'http_error' }],
    ['404 with a text', r => r.writeHead(404).end('nö'), { status: 404, error: 'http_error', answer: 'nö' }],
    [
      '301, which is not followed',
      r => r.writeHead(301, { location: '/elsewhere' }).end(),
      { status: 301, error: 'redirect' }
    ],
    [
      '429 with Retry-After',
      r => r.writeHead(429, { 'retry-after': '7' }).end(),
      { status: 429, error: 'http_error', retryAfter: '7' }
    ],
    [
      'headers: those that say who answered, without cookies and a line of their own each',
      r =>
        r
          .writeHead(503, { server: 'proxy', 'set-cookie': 'a=1', 'retry-after': '5', location: `/${'x'.repeat(300)}` })
          .end(),
      { answerHeaders: expect.stringMatching(/^date: [^\n]+\nlocation: \/x{199}\nretry-after: 5\nserver: proxy$/) }
    ],
    ['NUL in the text', r => r.end('a\0b'), { status: 200, error: null, answer: 'a\uFFFDb' }],
    ['10 MB', r => r.end(Buffer.alloc(10_000_000, 'x')), { status: 200, error: null, answer: 'x'.repeat(4_096) }],
    ['half a character at the bound', r => r.end(`${'x'.repeat(4_095)}ü`), { status: 200, answer: 'x'.repeat(4_095) }],
    [
      'a body that is not what its encoding says',
      r => r.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'),
      { status: 200, error: null }
    ]
  ])('of %s', async (_, answer, expected) => {
    const receiver = await startReceiver(() => answer)
    expect(await post(openClient(), receiver.url)).toMatchObject(expected)
    expect(receiver.received).toHaveLength(1)
  })

  test('without end is cut off after 4 KiB, without the rest being taken', async () => {
    let sent = 0
    let isCutOff = false
    const receiver = await startReceiver(() => response => {
      response
        .on('error', () => {})
        .once('close', () => {
          isCutOff = true
        })
      const more = () => {
        if (response.destroyed) return
        sent += 65_536
        if (response.write(Buffer.alloc(65_536, 'x'))) setImmediate(more)
        else response.once('drain', more)
      }
      more()
    })
    const before = process.memoryUsage().rss
    expect(await post(openClient(), receiver.url)).toMatchObject({
      status: 200,
      error: null,
      answer: 'x'.repeat(4_096)
    })
    await expect.poll(() => isCutOff, { timeout: 60_000 }).toBe(true)
    expect(sent).toBeLessThan(50_000_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })

  test('whose body stops in the middle counts by its status', async () => {
    const raw = await startReceiving(respond('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbeginning'))
    expect(await post(openClient(), raw.url)).toMatchObject({ status: 200, error: null, answer: 'beginning' })
  })
})

describe('a failure', () => {
  test.each<[string, (socket: Socket) => void, string]>([
    ['that never answers', () => {}, 'timeout'],
    ['that resets the connection', socket => socket.on('data', () => socket.resetAndDestroy()), 'reset'],
    ['that closes without an answer', socket => socket.on('data', () => socket.end()), 'reset'],
    ['that sends its headers byte by byte', drip, 'timeout'],
    ['that answers something else than HTTP', respond('220 mail.example ESMTP\r\n'), 'other'],
    ['that answers with headers without end', respond(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`), 'other']
  ])('of a receiver %s is an outcome, soon', async (_, onConnection, error) => {
    const raw = await startReceiving(onConnection)
    const timeoutMs = error === 'timeout' ? 500 : undefined
    expect(await post(openClient(), raw.url, timeoutMs)).toMatchObject({ status: null, error, answer: '' })
  })

  test('of a port where nobody listens', async () => {
    const receiver = await startReceiver()
    await receiver.close()
    expect(await post(openClient(), receiver.url)).toMatchObject({ status: null, error: 'refused' })
  })

  test.each([
    ['that nobody vouches for', { trusted: false }, 'tls_untrusted'],
    ['that has expired', { days: -1 }, 'tls_expired'],
    ['for another host', { host: 'other.example' }, 'tls_wrong_host'],
    ['for another address', { host: '127.0.0.2' }, 'tls_wrong_host']
  ])('of a certificate %s', async (_, certificate, error) => {
    const url = await startHttps(certificate)
    expect(await post(openClient(), url)).toMatchObject({ status: null, error })
  })

  test('of none with a certificate that is in order', async () => {
    expect(await post(openClient(), await startHttps({}))).toMatchObject({ status: 200, error: null })
  })

  test('of a receiver that speaks no TLS on an https URL', async () => {
    const receiver = await startReceiver()
    expect(await post(openClient(), receiver.url.replace('http:', 'https:'))).toMatchObject({
      status: null,
      error: 'tls'
    })
  })
})

/** The client's side of each connection from now on. */
function clientConnections() {
  const connections: Socket[] = []
  const onConnected = (message: unknown) => void connections.push((message as { socket: Socket }).socket)
  subscribe('undici:client:connected', onConnected)
  onTestFinished(() => void unsubscribe('undici:client:connected', onConnected))
  return connections
}

describe('a connection', () => {
  test('is kept for the next attempt', async () => {
    const receiver = await startReceiver()
    const client = openClient()
    for (let attempt = 0; attempt < 10; attempt++)
      expect(await post(client, receiver.url)).toMatchObject({ status: 204 })
    // One that is still being tidied up when the next attempt begins is not waited for.
    expect(receiver.connections).toBeLessThanOrEqual(2)
  })

  test('that the receiver has closed meanwhile costs no failed attempt', async () => {
    let broken = 0
    const raw = await startReceiving(socket => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        // The second request meets a connection that breaks as it is used.
        socket.once('data', () => {
          broken++
          socket.resetAndDestroy()
        })
      })
    })
    const client = openClient()
    const connections = clientConnections()
    // An attempt takes another connection while the one before is still being tidied up.
    while (broken === 0) expect(await post(client, raw.url)).toMatchObject({ status: 200, error: null })
    expect([broken, connections.length]).toEqual([1, raw.sockets.size])
    // The last one served a single attempt, so it is not kept open.
    await expect.poll(() => connections.at(-1)?.destroyed, { timeout: 60_000 }).toBe(true)
  })

  test('that breaks before it ever brought an answer is a failed attempt, made once', async () => {
    const raw = await startReceiving(socket => void socket.on('data', () => socket.resetAndDestroy()))
    expect(await post(openClient(), raw.url)).toMatchObject({ error: 'reset' })
    expect(raw.sockets.size).toBe(1)
  })
})

test('an attempt that is broken off rejects: it is no failure of the receiver', async () => {
  const raw = await startReceiving(() => {})
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('stopping')), 50)
  await expect(post(openClient(), raw.url, undefined, stop.signal)).rejects.toThrow('stopping')
  await expect(post(openClient(), raw.url, undefined, stop.signal)).rejects.toThrow('stopping')
})

test('a receiver that hangs does not keep others on the same host waiting', async () => {
  const client = openClient()
  const held: ServerResponse[] = []
  const receiver = await startReceiver(received =>
    received.path === '/hang' ? response => void held.push(response) : 204
  )
  const base = receiver.url.replace('/hook', '')
  const hanging = Array.from({ length: 20 }, () => post(client, `${base}/hang`))
  await expect.poll(() => held.length, { timeout: 60_000 }).toBe(20)
  expect(await post(client, `${base}/quick`)).toMatchObject({ status: 204 })
  for (const response of held) response.writeHead(200).end()
  expect((await Promise.all(hanging)).map(({ status }) => status)).toEqual(Array(20).fill(200))
})

function drip(socket: Socket) {
  const text = `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100)}`
  let sent = 0
  socket.once('data', () => {
    const timer = setInterval(
      () => (socket.destroyed ? clearInterval(timer) : socket.write(text[sent++ % text.length]!)),
      50
    )
  })
}
