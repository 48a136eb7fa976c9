import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Sends raw bytes to a listening application. Returns all bytes of the answer until the connection ends. */
export async function sendRaw(app: FastifyInstance, bytes: string | Buffer, { end = false } = {}) {
  const received: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const socket = connect(portOf(app), '127.0.0.1', () => {
      socket.write(bytes)
      if (end) socket.end()
    })
    socket.on('data', chunk => received.push(chunk))
    socket.on('close', () => resolve())
    // A server that has answered may reset the bytes that it has not read.
    socket.on('error', error => {
      if (received.length === 0) reject(error)
    })
  })
  return parseAnswer(Buffer.concat(received).toString())
}

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Sends each part once the answer to the part before has begun. Returns all answers until the connection ends. */
export async function exchange(port: number, parts: (string | Buffer)[], { end = false } = {}): Promise<RawAnswer[]> {
  const received: Buffer[] = []
  const rest = [...parts]
  await new Promise<void>(resolve => {
    const next = () => {
      const part = rest.shift()
      if (part !== undefined) socket.write(part)
      if (end && rest.length === 0) socket.end()
    }
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: end }, next)
    socket.on('data', chunk => {
      received.push(chunk)
      next()
    })
    socket.on('end', () => socket.end())
    // A server that has answered completely may reset the bytes that are still being sent.
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
  return answersOf(Buffer.concat(received).toString('latin1'))
}

/** Splits the answers, in order. Each must state its length, unless it has no body. */
function answersOf(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = text; rest !== ''; ) {
    const head = rest.slice(0, rest.indexOf('\r\n\r\n'))
    const { status, headers } = parseHead(head)
    const start = head.length + 4
    const length = Number(headers['content-length'] ?? 0)
    answers.push({ status, headers, body: Buffer.from(rest.slice(start, start + length), 'latin1').toString() })
    rest = rest.slice(start + length)
  }
  return answers
}

export function portOf(app: FastifyInstance) {
  return Number(new URL(app.listeningOrigin).port)
}

function parseAnswer(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { ...parseHead(head), body: body === '' ? '' : JSON.parse(body) }
}

function parseHead(head: string) {
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])
  )
  return { status: Number(statusLine.split(' ')[1]), headers }
}
