import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** What happens to bytes on the way: they pass, late or at once, or vanish in both directions, or in the one of the answers. */
export type Way = { delayMs: number } | 'lost' | 'answers lost'

/** Stands before a port of this machine and does what networks do. */
export async function startProxy(port: number) {
  let way: Way = { delayMs: 0 }
  const sockets = new Set<Socket>()
  const forgotten = new WeakSet<Socket>()

  function carry(from: Socket, to: Socket, isAnswer: boolean) {
    from.on('data', chunk => {
      if (forgotten.has(from) || way === 'lost' || (way === 'answers lost' && isAnswer)) return
      if (typeof way === 'string' || way.delayMs === 0) to.write(chunk)
      else setTimeout(() => to.writable && to.write(chunk), way.delayMs)
    })
    from.on('close', () => forgotten.has(from) || to.destroy())
    from.on('error', () => forgotten.has(from) || to.destroy())
  }

  const server = createServer(client => {
    const target = connect(port, '127.0.0.1')
    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    carry(client, target, false)
    carry(target, client, true)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The proxy has no port')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  return {
    port: address.port,
    become(next: Way) {
      way = next
    },
    /** Ends every connection as a crash of the other side does. */
    reset() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    /** Loses what comes on the connections of now and their end, as after a failover to another machine. */
    forget() {
      for (const socket of sockets) forgotten.add(socket)
    },
    connections: () => sockets.size / 2
  }
}
