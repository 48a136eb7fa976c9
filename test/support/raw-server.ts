import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a server on a free port that handles raw connections. `sockets` are all connections so far. */
export async function startRaw(onConnection: (socket: Socket, number: number) => void) {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket, sockets.size)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise(done => server.close(done))
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

/** Sends `text` again and again, until the connection is closed. */
export function drip(socket: Socket, text: string, everyMs: number) {
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.once('close', () => clearInterval(timer))
}
