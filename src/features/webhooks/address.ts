import type { LookupAddress } from 'node:dns'
import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Refusal } from '../../platform/core/api-error.ts'
import type { Outbound } from '../../platform/net/proxies.ts'
import { isOtherService } from './blocked-ports.ts'

/** The rules on where webhooks may be sent. */
export interface WebhookSettings extends Outbound {
  /** True if a URL may begin with http. */
  allowHttp: boolean
  /** Networks that may be reached though they are not public, in CIDR notation. */
  allowedCidrs: string[]
  /** Finds all addresses of a name; by default asks the name servers of the system. */
  lookup?: Lookup
}

type Lookup = (name: string) => Promise<LookupAddress[]>

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/** Azure's platform service, which every virtual machine there reaches at an address that looks public. */
const AZURE_PLATFORM = '168.63.129.16'

/**
 * Returns whether an address belongs to the public internet, or to a network that the operator allows. NAT64 makes an IPv4 address a part of an
 * IPv6 address, and it is the IPv4 address that is reached.
 */
export function isPublic(address: string, allowedCidrs: string[]): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.process(address)
  if (allowedCidrs.some(cidr => isWithin(parsed, cidr))) return true
  if (parsed instanceof ipaddr.IPv6 && parsed.range() === 'rfc6052') {
    const embedded = embeddedAddresses(parsed.toByteArray())
    return embedded.length > 0 && embedded.every(one => isPublic(one, allowedCidrs))
  }
  if (parsed.range() !== 'unicast' || parsed.toString() === AZURE_PLATFORM) return false
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST)
}

/** The bytes of the IPv4 address behind a NAT64 prefix of 48, 56, 64 or 96 bits (RFC 6052). Byte 8 is never a part of it. */
const EMBEDDED_BYTES = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15]
]

/**
 * The IPv4 addresses that a NAT64 address may mean. The well-known prefix has 96 bits. A local-use prefix (RFC 8215) has a length that only its
 * network knows, so that each may be meant. Nothing is reached at 0.0.0.0/8, which zeros around the address look like.
 */
function embeddedAddresses(bytes: number[]) {
  const lengths = bytes[5] === 0 ? EMBEDDED_BYTES.slice(-1) : EMBEDDED_BYTES
  const addresses = lengths.map(places => places.map(place => bytes[place]).join('.'))
  return addresses.filter(address => !address.startsWith('0.'))
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, cidr: string) {
  const network = ipaddr.parseCIDR(cidr)
  return network[0].kind() === address.kind() && address.match(network)
}

/** Checks the text of a URL. Returns the URL, or why it is refused. */
export function checkUrl(text: string, { allowHttp, allowedCidrs }: WebhookSettings): URL | Refusal {
  const schemes = allowHttp ? 'http:// or https://' : 'https://'
  // URL() accepts backslashes and missing or extra slashes, and drops line breaks.
  const written = /^https?:\/\/[^/\s\\\p{Cc}][^\s\\\p{Cc}]*$/iu.test(text) && URL.canParse(text)
  if (!written) return { expected: `a URL that begins with ${schemes}` }
  const url = new URL(text)
  if (url.protocol === 'http:' && !allowHttp) return { expected: 'a URL that begins with https://' }
  if (url.username || url.password) return { expected: 'a URL without a user name or password' }
  if (isOtherService(url))
    return { problem: `port ${url.port} is not one for HTTP`, expected: 'a URL with another port' }
  const host = hostOf(url)
  if (isIP(host) ? !isPublic(host, allowedCidrs) : isLocalName(host) && allowedCidrs.length === 0) return NOT_PUBLIC
  return url
}

const NOT_PUBLIC: Refusal = {
  expected: 'the URL of a host on the public internet, or in a network of WEBHOOK_ALLOWED_CIDRS'
}

/** Checks the text of a URL and every address of its host. */
export async function checkTarget(text: string, settings: WebhookSettings): Promise<URL | Refusal> {
  const url = checkUrl(text, settings)
  if (!(url instanceof URL) || isIP(hostOf(url))) return url
  const addresses = await lookupWith(settings)(hostOf(url)).catch(() => [])
  if (addresses.length === 0)
    return {
      problem: `the name ${hostOf(url)} does not resolve to an address`,
      expected: 'a URL that can be reached'
    }
  return addresses.every(({ address }) => isPublic(address, settings.allowedCidrs)) ? url : NOT_PUBLIC
}

/** The host without the brackets of an IPv6 address and without a final dot. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>) {
  return hostname.replace(/^\[|\]$|\.$/g, '')
}

/** Returns whether a name means nothing on the public internet. */
function isLocalName(host: string) {
  return !host.includes('.') || /(^|\.)(localhost|local|internal)$/.test(host)
}

export function lookupWith({ lookup, allowedCidrs }: WebhookSettings): Lookup {
  if (lookup) return lookup
  // Private networks have names that no name server knows, such as those of /etc/hosts.
  return allowedCidrs.length === 0 ? resolve : name => resolve(name).catch(() => systemLookup(name, { all: true }))
}

/**
 * Asks the name servers directly. The system's own lookup would hold one of the few threads of the process for as long as
 * the slowest name server takes.
 */
async function resolve(name: string): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = found.flatMap((answer, index) =>
    answer.status === 'fulfilled' ? answer.value.map(address => ({ address, family: index === 0 ? 4 : 6 })) : []
  )
  if (addresses.length === 0 && found[0].status === 'rejected') throw found[0].reason
  return addresses
}
