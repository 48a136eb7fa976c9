import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressKey, isWithinAny } from '../../../platform/net/client-address.ts'
import { countInFlight } from './in-flight.ts'

interface ConnectionLimits {
  total: number
  perAddress: number
  /** The requests in flight on a connection. */
  requests: number
  /** The proxies in front, as in `AppOptions`. Each has the connections of many clients, so it has no limit of its own. */
  trustProxy: false | number | string[]
}

/** The shares of the total from and until which idle connections are closed sooner, and the share of the usual time after which. */
const CROWDED = { from: 0.8, until: 0.7, keepAliveShare: 0.1 }

/**
 * Bounds the connections in total and of a client address, and closes those beyond at once. When most are taken, idle ones are closed after a
 * tenth of their usual time. A connection with too many requests in flight is closed as well: Node starts every request of a received chunk,
 * and each takes memory until it is answered. Returns the requests in flight of each connection.
 */
export function limitConnections(server: Server, { total, perAddress, requests, trustProxy }: ConnectionLimits) {
  const counts = new Map<string, number>()
  const idle = new Set<Socket>()
  let open = 0
  let usualMs: number | undefined
  server.maxConnections = total

  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket.remoteAddress ?? '', trustProxy)
    if (key !== undefined && (counts.get(key) ?? 0) >= perAddress) return void socket.destroy()
    count(key, 1)
    socket.once('close', () => {
      count(key, -1)
      idle.delete(socket)
    })
  })
  const inFlight = countInFlight(server, (socket, count) => {
    idle.delete(socket)
    if (count > requests) {
      stopParsing(socket)
      socket.destroy()
    } else if (count === 0 && !socket.destroyed) idle.add(socket)
  })

  function count(key: string | undefined, turn: 1 | -1) {
    open += turn
    if (key !== undefined) {
      const ofAddress = (counts.get(key) ?? 0) + turn
      if (ofAddress > 0) counts.set(key, ofAddress)
      else counts.delete(key)
    }
    if (usualMs === undefined && open > total * CROWDED.from) {
      usualMs = server.keepAliveTimeout
      server.keepAliveTimeout = Math.ceil(usualMs * CROWDED.keepAliveShare)
      for (const socket of idle) socket.setTimeout(server.keepAliveTimeout)
    } else if (usualMs !== undefined && open < total * CROWDED.until) {
      server.keepAliveTimeout = usualMs
      usualMs = undefined
    }
  }
  return inFlight
}

/**
 * Leaves the rest of a received chunk unparsed: up to 3,600 requests, whose objects would live until the connection has closed. With 600
 * connections that send 1,000 requests each, a server in a container would run out of memory; closing them is not enough. Node has no call
 * for it, but its parser stops at headers that are answered with 2, which means an upgrade.
 */
function stopParsing(socket: Socket & { parser?: { onIncoming: () => number } }) {
  if (socket.parser) socket.parser.onIncoming = () => 2
}

/** Undefined for a proxy. Where proxies are known by their number, nobody else reaches the port. */
function keyOf(address: string, trustProxy: ConnectionLimits['trustProxy']) {
  if (typeof trustProxy === 'number' && trustProxy > 0) return undefined
  if (Array.isArray(trustProxy) && isWithinAny(address, trustProxy)) return undefined
  return addressKey(address)
}
