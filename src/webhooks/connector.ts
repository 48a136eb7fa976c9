import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { isPublic, lookupWith, type WebhookSettings } from './address.ts'
import { BlockedAddress, LookupFailed } from './faults.ts'

const CONNECT_MS = 5_000

export interface Connector {
  connect: buildConnector.connector
  /** Whether that fault ended a connection on which an answer had come before. */
  isStale(fault: unknown): boolean
}

/**
 * Opens connections to public addresses only. A name is looked up once, and what is checked is what is connected to, so
 * that a name which changes its mind in between gains nothing. Node looks up names alone: an address in the URL is checked
 * before, and the one connected to once more.
 */
export function openConnector(settings: WebhookSettings): Connector {
  const allowed = (address: string | undefined) => address !== undefined && isPublic(address, settings.allowedCidrs)
  const base = buildConnector({ lookup: safeLookup(settings), timeout: CONNECT_MS, allowH2: false })
  const stale = new WeakSet<Error>()
  return {
    connect(options, callback) {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) && !allowed(host)) {
        callback(new BlockedAddress(host), null)
        return
      }
      base(options, (fault, socket) => {
        if (fault) return callback(fault, null)
        if (socket && allowed(socket.remoteAddress)) return callback(null, watched(socket, stale))
        socket?.destroy()
        callback(new BlockedAddress(host), null)
      })
    },
    isStale: fault => fault instanceof Error && stale.has(fault)
  }
}

/** Remembers the fault that ends a connection after it has brought an answer. */
function watched<S extends Socket>(socket: S, stale: WeakSet<Error>) {
  const before = socket.bytesRead
  socket.on('error', fault => {
    if (socket.bytesRead > before) stale.add(fault)
  })
  return socket
}

function safeLookup(settings: WebhookSettings): LookupFunction {
  return (name, { all }, callback) => {
    const found = ([first, ...others]: Found) => (all ? callback(null, [first, ...others]) : callback(null, first.address, first.family))
    void findPublic(name, settings).then(found, (fault: Error) => callback(fault, ''))
  }
}

type Found = [LookupAddress, ...LookupAddress[]]

/** Fails when any address is not public: half of a name may not open the door for the other half. */
async function findPublic(name: string, settings: WebhookSettings): Promise<Found> {
  const [first, ...others] = await lookupWith(settings)(name).catch((fault: unknown) => {
    throw new LookupFailed(name, { cause: fault })
  })
  if (!first) throw new LookupFailed(name)
  if (![first, ...others].every(({ address }) => isPublic(address, settings.allowedCidrs))) throw new BlockedAddress(name)
  return [first, ...others]
}
