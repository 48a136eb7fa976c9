import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The requests in flight of each open connection. */
type InFlight = ReadonlyMap<Socket, number>

/** The time in which the request of a connection may arrive, counted from its beginning, or from the end of listening if that is later. */
const GRACE_MS = 1_000
/** The time of a request whose head has begun to arrive. Node stops enforcing its own `headersTimeout` when the port closes. */
const HEAD_GRACE_MS = 5_000
const CHECK_MS = 100

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
 * Closes the connections on which nothing arrives soon after the port has closed. Node closes those that are idle at that moment, and would wait for
 * the first request of the others: browsers open connections in advance. A request whose head has begun to arrive has five seconds for the rest of it.
 */
export function closeUnused(app: FastifyInstance, inFlight: InFlight) {
  const { server } = app
  const openedAt = new WeakMap<Socket, number>()
  const answered = new WeakSet<Socket>()
  server.on('request', ({ socket }) => void answered.add(socket))
  server.on('connection', (socket: Socket) => void openedAt.set(socket, performance.now()))
  const close = server.close
  // `preClose` comes too early: connections are accepted until the port closes.
  server.close = callback => {
    const closedAt = performance.now()
    const timer = setInterval(() => {
      // Bytes that have arrived are read only after timers have run, which takes long on a busy server.
      setImmediate(() => {
        for (const [socket, count] of inFlight) {
          const since = Math.max(closedAt, openedAt.get(socket) ?? 0)
          const graceMs = socket.bytesRead === 0 || answered.has(socket) ? GRACE_MS : HEAD_GRACE_MS
          if (count === 0 && performance.now() - since > graceMs) socket.destroy()
        }
        if (inFlight.size === 0) clearInterval(timer)
      })
    }, CHECK_MS).unref()
    return close.call(server, callback)
  }
}
