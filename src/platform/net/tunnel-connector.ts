import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import { openTunnel, ProxyRefused } from './tunnel.ts'

/** The host and port of a connection of undici. */
function targetOf({ hostname, port, protocol }: Pick<buildConnector.Options, 'hostname' | 'port' | 'protocol'>) {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) }
}

/**
 * Opens connections of undici through a proxy. `addressesOf` may name the addresses of the host, which are tried in turn; otherwise the proxy
 * resolves its name. TLS is with the host itself, whose certificate must be for its name.
 */
export function tunnelConnectors(
  options: buildConnector.BuildOptions,
  addressesOf: (host: string) => Promise<string[]> = async host => [host]
): (proxy: URL) => buildConnector.connector {
  const secure = buildConnector(options)
  return proxy => (connection, callback) => {
    const { host, port } = targetOf(connection)
    void addressesOf(host)
      .then(addresses => openFirst(proxy, addresses, port))
      .then(
        socket =>
          connection.protocol === 'https:'
            ? secure({ ...connection, httpSocket: socket }, callback)
            : callback(null, socket),
        (error: Error) => callback(error, null)
      )
  }
}

/** Tries the next address if the proxy found nobody at one. */
async function openFirst(proxy: URL, [first = '', ...others]: string[], port: number): Promise<Socket> {
  try {
    return await openTunnel(proxy, { host: first, port })
  } catch (error) {
    if (others.length === 0 || !(error instanceof ProxyRefused && error.unreachable)) throw error
    return await openFirst(proxy, others, port)
  }
}
