import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Received {
  path: string
  headers: Record<string, string>
  /** The body as it arrived. */
  body: string
  /** The id of the event. */
  id: string
  at: number
}

/** The answer of a receiver: a status, or a function that uses the response. */
export type Answer = number | ((response: ServerResponse, request: IncomingMessage) => void)

/** Starts a receiver of webhooks on this machine. `answer` gets the request and the number of earlier ones; it may be replaced. */
export async function startReceiver(answer: (received: Received, before: number) => Answer = () => 204) {
  const received: Received[] = []
  const receiver = { url: '', received, answer, connections: 0, close: async () => {} }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      const one = {
        path: request.url!,
        headers,
        body: Buffer.concat(chunks).toString(),
        id: headers['webhook-id']!,
        at: Date.now()
      }
      const chosen = receiver.answer(one, received.length)
      received.push(one)
      if (typeof chosen === 'number') response.writeHead(chosen).end()
      else chosen(response, request)
    })
  })
  server.on('connection', () => receiver.connections++)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  receiver.close = async () => {
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  }
  onTestFinished(receiver.close)
  return receiver
}
