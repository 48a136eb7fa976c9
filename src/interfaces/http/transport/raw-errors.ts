import { randomUUID } from 'node:crypto'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../../../contract/errors.ts'
import { answerHeaders } from '../base.ts'
import { errorBody } from '../errors.ts'

interface RawRefusal {
  status: number
  code: ErrorCode
  problem: string
}

const MALFORMED: RawRefusal = { status: 400, code: 'invalid_request', problem: 'The request is not valid HTTP' }
const REFUSALS: Record<string, RawRefusal> = {
  HPE_HEADER_OVERFLOW: { ...MALFORMED, status: 431, problem: 'The headers are too large; send at most 16 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { ...MALFORMED, status: 408, problem: 'The request did not arrive in time' },
  HPE_INVALID_METHOD: { ...MALFORMED, problem: 'The request line has no method that HTTP knows' }
}
const CONNECT: RawRefusal = { status: 404, code: 'not_found', problem: 'There is nothing at this path for CONNECT' }

/**
 * Answers malformed HTTP, a request that times out and CONNECT in the shape of every other error; Node would answer without a
 * body. Returns the handler of client errors. `headersFor` names the headers that depend on the client's address.
 */
export function answerRawErrors(server: Server, headersFor: (address: string) => Record<string, string>) {
  const inFlight = new WeakMap<Duplex, Set<ServerResponse>>()
  server.on('request', (request, response) => {
    const responses = inFlight.get(request.socket) ?? new Set()
    inFlight.set(request.socket, responses.add(response))
    response.once('close', () => responses.delete(response))
  })
  // An expectation other than 100-continue may be ignored; Node would refuse it without a body.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  server.on('connect', (_request, connection) => refuse(connection, CONNECT))

  /** Waits for the responses to earlier complete requests: a client assigns responses to its requests by their order. */
  function refuse(connection: Duplex, refusal: RawRefusal) {
    const responses = [...(inFlight.get(connection) ?? [])]
    const end = () => {
      const partlySent = responses.some(response => response.headersSent && !response.writableEnded)
      if (partlySent || !connection.writable) return void connection.destroy()
      const address = connection instanceof Socket ? connection.remoteAddress : undefined
      connection.end(toBytes(refusal, headersFor(address ?? '')))
    }
    const last = responses.findLast(({ req }) => req.complete)
    if (last) last.once('close', end)
    else end()
  }

  return (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else refuse(socket, REFUSALS[error.code ?? ''] ?? MALFORMED)
  }
}

function toBytes({ status, ...error }: RawRefusal, headers: Record<string, string>) {
  const body = JSON.stringify(errorBody(error))
  const fields = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...answerHeaders(randomUUID()),
    ...headers
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
