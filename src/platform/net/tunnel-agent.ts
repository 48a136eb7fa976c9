import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent, type RequestOptions } from 'node:https'
import { Socket } from 'node:net'
import { type ConnectionOptions, connect } from 'node:tls'
import { type Outbound, proxyFor } from './proxies.ts'
import { openTunnel } from './tunnel.ts'

/** An agent of Node's HTTP client for the URL's host, with the proxy and certificate of the operator. Undefined if it needs neither. */
export function agentFor(url: URL, { proxies, certificate }: Outbound) {
  const proxy = proxyFor(proxies, url)
  if (!proxy && !certificate) return undefined
  const isSecure = url.protocol === 'https:'
  const settings = { keepAlive: true, maxSockets: 50 }
  const agent = isSecure ? new HttpsAgent({ ...settings, ...certificate }) : new HttpAgent(settings)
  if (!proxy) return agent
  agent.createConnection = (options: RequestOptions & ConnectionOptions, created) => {
    const target = { host: options.host ?? '', port: Number(options.port) }
    openTunnel(proxy, target).then(
      socket =>
        created?.(null, isSecure ? connect({ ...options, host: target.host, port: target.port, socket }) : socket),
      // The agent ignores the socket that comes with an error.
      (error: Error) => created?.(error, new Socket())
    )
    return undefined
  }
  return agent
}
