import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Sends bytes as they are to a listening application and collects what comes back until the connection ends. */
export async function sendRaw(app: FastifyInstance, bytes: string | Buffer, { end = false } = {}) {
  const received: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const socket = connect(portOf(app), '127.0.0.1', () => {
      socket.write(bytes)
      if (end) socket.end()
    })
    socket.on('data', chunk => received.push(chunk))
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
  return parseAnswer(Buffer.concat(received).toString())
}

export function portOf(app: FastifyInstance) {
  return Number(new URL(app.listeningOrigin).port)
}

function parseAnswer(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])
  )
  return { status: Number(statusLine.split(' ')[1]), headers, body: body === '' ? '' : JSON.parse(body) }
}
