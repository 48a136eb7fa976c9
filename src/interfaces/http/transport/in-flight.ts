import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The requests in flight of each open connection. */
type InFlight = ReadonlyMap<Socket, number>

/** The time in which the request of a connection that was opened just before may arrive. */
const GRACE_MS = 1_000

/** Counts the requests in flight of each connection of a server. `onChange` gets the count before a request is handled, and after its answer. */
export function countInFlight(server: Server, onChange: (socket: Socket, count: number) => void = () => {}): InFlight {
  const inFlight = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    inFlight.set(socket, 0)
    socket.once('close', () => inFlight.delete(socket))
  })
  server.prependListener('request', ({ socket }, response) => {
    change(socket, 1)
    response.once('close', () => change(socket, -1))
  })

  function change(socket: Socket, by: 1 | -1) {
    const count = inFlight.get(socket)
    if (count === undefined) return
    inFlight.set(socket, count + by)
    onChange(socket, count + by)
  }
  return inFlight
}

/**
 * Closes the connections without a request in flight soon after the application begins to close. Node closes those that had one before, and would
 * wait for the first request of the others: browsers open connections in advance.
 */
export function closeUnused(app: FastifyInstance, inFlight: InFlight) {
  app.addHook('preClose', done => {
    setTimeout(() => {
      for (const [socket, count] of inFlight) if (count === 0) socket.destroy()
    }, GRACE_MS).unref()
    done()
  })
}
