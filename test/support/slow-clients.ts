import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'

/** Bytes that no client reads. It is below the size from which unread answers are counted, and together more than the buffers of a connection. */
const UNREAD = pipelined(LIMITS.connections.requests)

/** So many requests for a document, sent at once. */
export function pipelined(count: number) {
  return 'GET /v1/openapi.json?profile=actions HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count)
}

/** Opens a connection that the end of the test closes at the latest. */
export function openSocket(port: number) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

interface SlowClients {
  port: number
  token: string
  /** The connections of each kind. */
  count: number
  /** The time between two pieces that a client sends. */
  dripMs: number
}

/**
 * Opens connections of clients that send their headers too slowly, that send a body too slowly, and that don't read their answers. Returns
 * for the first two a promise of the status that each connection got, and the milliseconds that it lasted. A client that doesn't read never
 * learns that it was cut off. `connected` resolves when all of them are.
 */
export function openSlowClients({ port, token, count, dripMs }: SlowClients) {
  const startedAt = performance.now()
  const opened: Promise<unknown>[] = []
  const auth = `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
  const body = `POST /v1/events/ack HTTP/1.1\r\nHost: x\r\n${auth}Content-Length: 60000\r\n\r\n`

  function open() {
    const socket = openSocket(port)
    opened.push(once(socket, 'connect'))
    return socket
  }

  function dripAll(first: string, rest: string) {
    const lasted = Array.from({ length: count }, async () => {
      const socket = open()
      let answer = ''
      socket.setEncoding('utf8').on('data', (text: string) => {
        answer += text
      })
      socket.write(first)
      const timer = setInterval(() => socket.write(rest), dripMs)
      await closed(socket)
      clearInterval(timer)
      return { status: Number(answer.split(' ')[1] ?? 0), ms: performance.now() - startedAt }
    })
    return Promise.all(lasted)
  }

  const slow = { headers: dripAll('GET /v1/account HTTP/1.1\r\nHost: x\r\n', 'A: b\r\n'), body: dripAll(body, ' ') }
  for (let at = 0; at < count; at++) open().pause().write(UNREAD)
  return { ...slow, connected: Promise.all(opened) }
}

export function closed(socket: Socket) {
  return new Promise<void>(resolve => socket.once('close', () => resolve()))
}
