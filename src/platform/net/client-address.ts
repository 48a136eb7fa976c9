import { isIPv4, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** The key under which limits count the client. An invalid X-Forwarded-For entry counts as the address of the proxy. */
export function clientAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>) {
  return addressKey(ip) ?? addressKey(socket.remoteAddress ?? '') ?? ''
}

/**
 * One key for each client: an IPv6 client owns its /64, and an IPv4-mapped address is the IPv4 address. Undefined for text that is no
 * address. The key is a string of its own: a part of the header would keep all of the header in memory.
 */
export function addressKey(text: string) {
  if (!isIPv4(text) && !isIPv6(text)) return undefined
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${address.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}

/** The network of a client's key: 256 addresses of IPv4, or a /48 of IPv6, as one customer may have them all. */
export function networkOf(key: string) {
  return key.includes(':') ? `${key.split(':').slice(0, 3).join(':')}::/48` : key.replace(/\d+$/, '0/24')
}

/** Returns whether an address is one of these, or in one of these networks in CIDR notation. */
export function isWithinAny(text: string, networks: readonly string[]) {
  if (!isIPv4(text) && !isIPv6(text)) return false
  const address = ipaddr.process(text)
  return networks.some(network => {
    if (!network.includes('/'))
      return addressKey(network) !== undefined && ipaddr.process(network).toString() === address.toString()
    const range = ipaddr.parseCIDR(network)
    return range[0].kind() === address.kind() && address.match(range)
  })
}
