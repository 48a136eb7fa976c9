import type { IncomingMessage, Server } from 'node:http'

/** The bytes per second at which a body that has more time than others must arrive. */
const MIN_BYTES_PER_SECOND = 1_024

/**
 * Ends requests whose body does not arrive in time. Node has one limit for all requests, and an upload takes longer than others, so it has to
 * arrive at a least speed instead: it is measured every `paceMs`. Returns the function that gives a request more time.
 */
export function limitArrival(server: Server, { usualMs, paceMs }: { usualMs: number; paceMs: number }) {
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

  function limit(request: IncomingMessage, timeoutMs: number) {
    clearTimeout(timers.get(request))
    timers.set(request, setTimeout(() => refuse(request), timeoutMs).unref())
  }

  function keepPace(request: IncomingMessage) {
    let before = request.socket.bytesRead
    const pace = setInterval(() => {
      const { bytesRead } = request.socket
      if (bytesRead - before < (MIN_BYTES_PER_SECOND * paceMs) / 1_000) refuse(request)
      before = bytesRead
    }, paceMs).unref()
    const stop = () => clearInterval(pace)
    request.once('end', stop).once('close', stop)
  }

  /** Emits the error that Node emits for its own limit. */
  function refuse({ complete, socket }: IncomingMessage) {
    if (complete) return
    const late = Object.assign(new Error('The request did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', late, socket)
  }

  server.prependListener('request', (request: IncomingMessage) => {
    if (!hasBody(request)) return
    limit(request, usualMs)
    request.once('close', () => clearTimeout(timers.get(request)))
  })

  return (request: IncomingMessage, timeoutMs: number) => {
    if (!timers.has(request)) return
    limit(request, timeoutMs)
    keepPace(request)
    // A large recording is stored for longer than other connections may be idle.
    request.once('end', () => request.socket.setTimeout(timeoutMs))
  }
}

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>) {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
