import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Quota } from '../accounts/admission.ts'
import { errorBody } from './errors.ts'
import { quotaHeaders } from './guard.ts'

/** What Node's HTTP parser and time-outs refuse before there is a request, in words. */
const REFUSALS: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are too large; send at most 16 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time' },
  HPE_INVALID_METHOD: { status: 400, message: 'The request line has no method that HTTP knows' }
}

/** Answers a connection whose bytes are no HTTP request, in the shape and with the headers of every other answer. */
export function answerRawError(countAddress: (address: string) => Quota) {
  return (fault: Error & { code?: string }, socket: Socket) => {
    if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const { status, message } = REFUSALS[fault.code ?? ''] ?? { status: 400, message: 'The request is not valid HTTP' }
    const body = JSON.stringify(errorBody({ code: 'invalid_request', message }))
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
      'cache-control': 'private, no-store',
      'x-request-id': randomUUID(),
      ...quotaHeaders(countAddress(socket.remoteAddress ?? ''))
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  }
}
