import { isIP } from 'node:net'

/** Names that no public DNS has (RFC 2606, 6761, 6762, 8375, and ICANN's `internal`), and those of services in Kubernetes. */
const PRIVATE_NAME = /\.(?:localhost|local|internal|home\.arpa|test|svc)$/

/**
 * Whether nobody else can have a name lead here: an address, a name without a dot, or one that public DNS does not have. A page of a stranger could
 * otherwise read what the server answers to its own name (DNS rebinding).
 */
export function isPrivateName(hostname: string) {
  const name = bareName(hostname)
  return isIP(name) !== 0 || !name.includes('.') || PRIVATE_NAME.test(name)
}

/** The name in lower case, an address of IPv6 without brackets. */
export function bareName(hostname: string) {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}

/** The name in a Host header, without the port. */
export function nameOfHost(host: string) {
  return bareName(host.trim().replace(/:\d*$/, ''))
}
