import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { proxyFor } from '../../platform/net/proxies.ts'
import { tunnelConnectors } from '../../platform/net/tunnel-connector.ts'
import { hostOf, isPublic, lookupWith, type WebhookSettings } from './address.ts'
import { BlockedAddress, LookupFailed } from './errors.ts'

const CONNECT_TIMEOUT_MS = 5_000

interface Connector {
  connect: buildConnector.connector
  /** Returns whether the error ended a connection that had already brought an answer. */
  isStale(error: unknown): boolean
}

/**
 * Opens connections to allowed addresses only, directly or through a proxy. A name is looked up once, and the checked address is the one connected to, so
 * DNS rebinding gains nothing. Node calls `lookup` for names only, so an address in the URL is checked before. The address of
 * the connected socket is checked as well.
 */
export function openConnector(settings: WebhookSettings): Connector {
  const allowed = (address: string | undefined) => address !== undefined && isPublic(address, settings.allowedCidrs)
  const limits = { timeout: CONNECT_TIMEOUT_MS, allowH2: false, ...settings.certificate }
  const direct = buildConnector({ ...limits, lookup: safeLookup(settings) })
  const tunnels = tunnelConnectors(limits, async host =>
    isIP(host) ? [host] : (await findPublic(host, settings)).map(({ address }) => address)
  )
  const stale = new WeakSet<Error>()
  return {
    connect(options, callback) {
      const host = hostOf(options)
      if (isIP(host) && !allowed(host)) {
        callback(new BlockedAddress(host), null)
        return
      }
      const proxy = proxyFor(settings.proxies, new URL(`${options.protocol}//${options.host}`))
      const connect = proxy ? tunnels(proxy) : direct
      connect(options, (error, socket) => {
        if (error) return callback(error, null)
        // Behind a tunnel, the socket leads to the proxy, which got the checked address.
        if (socket && (proxy || allowed(socket.remoteAddress))) return callback(null, rememberStale(socket, stale))
        socket?.destroy()
        callback(new BlockedAddress(host), null)
      })
    },
    isStale: error => error instanceof Error && stale.has(error)
  }
}

/** Remembers the error that ends the connection after it has brought an answer. */
function rememberStale<S extends Socket>(socket: S, stale: WeakSet<Error>) {
  const before = socket.bytesRead
  socket.on('error', error => {
    if (socket.bytesRead > before) stale.add(error)
  })
  return socket
}

function safeLookup(settings: WebhookSettings): LookupFunction {
  return (name, { all }, callback) => {
    const found = ([first, ...others]: Addresses) =>
      all ? callback(null, [first, ...others]) : callback(null, first.address, first.family)
    void findPublic(name, settings).then(found, (error: Error) => callback(error, ''))
  }
}

type Addresses = [LookupAddress, ...LookupAddress[]]

/** Fails when any address of the name is not allowed. */
async function findPublic(name: string, settings: WebhookSettings): Promise<Addresses> {
  const [first, ...others] = await lookupWith(settings)(name).catch((error: unknown) => {
    throw new LookupFailed(name, { cause: error })
  })
  if (!first) throw new LookupFailed(name)
  if (![first, ...others].every(({ address }) => isPublic(address, settings.allowedCidrs)))
    throw new BlockedAddress(name)
  return [first, ...others]
}
