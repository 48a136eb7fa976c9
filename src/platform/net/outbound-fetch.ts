import { Agent, buildConnector, Dispatcher1Wrapper } from 'undici'
import { type Outbound, proxyFor } from './proxies.ts'
import { tunnelConnectors } from './tunnel-connector.ts'

interface Limits {
  connectTimeoutMs: number
  maxResponseBytes: number
}

/** The part of `fetch` that is used. Its caller sets the deadline by a signal. */
export type Fetch = (url: string, options: RequestInit) => Promise<Response>

/** A `fetch` with connections of its own: through the proxy of each URL, with the operator's certificate, and with bounded responses. */
export function openFetch(
  { proxies, certificate }: Outbound,
  { connectTimeoutMs, maxResponseBytes }: Limits
): { fetch: Fetch; close: () => Promise<void> } {
  const options = { timeout: connectTimeoutMs, ...certificate }
  const direct = buildConnector(options)
  const tunnels = tunnelConnectors(options)
  const agent = new Agent({
    maxResponseSize: maxResponseBytes,
    connect(connection, callback) {
      const proxy = proxyFor(proxies, new URL(`${connection.protocol}//${connection.host ?? connection.hostname}`))
      const connect = proxy ? tunnels(proxy) : direct
      connect(connection, callback)
    }
  })
  const dispatcher = new Dispatcher1Wrapper(agent)
  return {
    // Unlike a spread, this keeps the type: Node describes the dispatcher of its own version.
    fetch: (url, init) => fetch(url, Object.assign({}, init, { dispatcher })),
    close: () => agent.destroy()
  }
}
