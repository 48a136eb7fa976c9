import { randomUUID } from 'node:crypto'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../contract/errors.ts'
import { errorBody } from './errors.ts'
import { answerHeaders } from './floor.ts'

/** What Node's HTTP parser and time-outs refuse before there is a request, in words. */
const REFUSALS: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are too large; send at most 16 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time' },
  HPE_INVALID_METHOD: { status: 400, message: 'The request line has no method that HTTP knows' }
}
const NO_HTTP = { status: 400, message: 'The request is not valid HTTP' }

type Fault = Error & { code?: string }

/**
 * Makes a server answer what Node would refuse without a body, in the shape of every other answer: bytes that are no HTTP
 * request, a request that does not arrive, CONNECT. The headers are those that the application adds for a client address.
 */
export function answerRawErrors(server: Server, headersFor: (address: string) => Record<string, string>) {
  const underWay = new WeakMap<Duplex, Set<ServerResponse>>()
  const refused = new WeakSet<Duplex>()

  server.on('request', (request, response) => {
    const answers = underWay.get(request.socket) ?? new Set()
    underWay.set(request.socket, answers.add(response))
    response.once('close', () => answers.delete(response))
  })
  // What a client expects beyond 100-continue may be ignored; Node would refuse it with nothing.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  server.on('connect', (_request, connection) => {
    refuse(connection, { status: 404, code: 'not_found', message: 'There is nothing at this path for CONNECT' })
  })

  /** Requests before it that came whole are answered first: whoever sends several takes the answers in their order. */
  function refuse(connection: Duplex, refusal: Refusal) {
    if (refused.has(connection)) return
    refused.add(connection)
    const answers = [...(underWay.get(connection) ?? [])]
    const last = answers.findLast(({ req }) => req.complete)
    const end = () => {
      const begun = answers.some(answer => answer.headersSent && !answer.writableEnded)
      if (begun || !connection.writable) connection.destroy()
      else connection.end(answerOf(refusal, headersFor((connection instanceof Socket && connection.remoteAddress) || '')))
    }
    if (last) last.once('close', end)
    else end()
  }

  return (fault: Fault, socket: Socket) => {
    if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    refuse(socket, { code: 'invalid_request', ...(REFUSALS[fault.code ?? ''] ?? NO_HTTP) })
  }
}

interface Refusal {
  status: number
  code: ErrorCode
  message: string
}

function answerOf({ status, ...error }: Refusal, more: Record<string, string>) {
  const body = JSON.stringify(errorBody(error))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...answerHeaders(randomUUID()),
    ...more
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
