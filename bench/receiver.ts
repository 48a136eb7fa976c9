import { once } from 'node:events'
import { createServer } from 'node:http'

/** Receives webhooks in this process and answers each with 204. Calls `onDelivery` when the last byte has arrived. */
export async function startReceiver(onDelivery: (path: string, body: string) => void) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(204).end()
      onDelivery(request.url ?? '', Buffer.concat(chunks).toString())
    })
  })
  return await listening(server)
}

/** Accepts connections and requests, and never answers. */
export async function startHungReceiver() {
  return await listening(createServer(() => {}))
}

async function listening(server: ReturnType<typeof createServer>) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The receiver has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}
