import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { freePort } from './ports.ts'

/** Starts an HTTP proxy on this machine that opens tunnels. It looks every name up as this machine, and `refuse` names the status of a refusal. */
export async function startConnectProxy(refuse: (authority: string) => number | undefined = () => undefined) {
  /** The host and port of each tunnel that was asked for, and the credentials that came with it. */
  const asked: string[] = []
  const credentials: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const server = createServer((_, response) => void response.writeHead(405).end())
  server.on('connect', ({ url = '', headers }, client: Socket, head: Buffer) => {
    asked.push(url)
    credentials.push(headers['proxy-authorization'])
    const status = refuse(url)
    if (status !== undefined) return client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    const { hostname, port } = new URL(`tunnel://${url}`)
    const host = /^[\d.]+$/.test(hostname) ? hostname : '127.0.0.1'
    const upstream = connect({ host, port: Number(port) }, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      upstream.pipe(client).pipe(upstream)
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => [client, upstream].map(end => end.destroy()))
    }
  })
  // One of the system's own could be another's by the time of the second start.
  const port = await freePort()
  await new Promise<void>(done => server.listen(port, '127.0.0.1', done))
  const proxy = {
    url: `http://127.0.0.1:${port}`,
    asked,
    credentials,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
    /** Listens again, on the same port. */
    start: () => new Promise<void>(done => server.listen(port, '127.0.0.1', done))
  }
  onTestFinished(() => (server.listening ? proxy.stop() : undefined))
  return proxy
}
