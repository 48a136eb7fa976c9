import { isWithinAny } from './client-address.ts'

/** The proxies of this server, as HTTP_PROXY, HTTPS_PROXY and NO_PROXY name them. */
export interface Proxies {
  /** The proxy for http URLs. */
  http: string | undefined
  /** The proxy for https URLs. */
  https: string | undefined
  /** Hosts that are reached directly: names, names with their subdomains, addresses and networks, each with an optional port. */
  except: string[]
}

/** The certificate of this server and its key, as PEM. */
export interface ClientCertificate {
  cert: string
  key: string
}

/** The operator's settings of connections to other servers. */
export interface Outbound {
  proxies?: Proxies | undefined
  /** Shown to each server that asks for a certificate. */
  certificate?: ClientCertificate | undefined
}

/** Returns the proxy through which the URL is reached; undefined for a direct connection, as to this machine itself. */
export function proxyFor(proxies: Proxies | undefined, url: URL): URL | undefined {
  const proxy = url.protocol === 'https:' ? proxies?.https : proxies?.http
  if (!proxies || !proxy) return undefined
  const host = url.hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  if (isThisMachine(host) || proxies.except.some(entry => covers(entry.toLowerCase(), host, port))) return undefined
  return new URL(proxy)
}

function isThisMachine(host: string) {
  return host === 'localhost' || host.endsWith('.localhost') || isWithinAny(host, ['127.0.0.0/8', '::1'])
}

/** `example.com` and `.example.com` cover the name and its subdomains, `*.example.com` its subdomains alone. */
function covers(entry: string, host: string, port: string) {
  if (entry.includes('/')) return isWithinAny(host, [entry])
  const { name, only } = splitPort(entry)
  if (only !== undefined && only !== port) return false
  if (name === '*' || isWithinAny(host, [name])) return true
  const suffix = name.replace(/^\*?\.|\.$/g, '')
  return suffix !== '' && (host.endsWith(`.${suffix}`) || (host === suffix && !name.startsWith('*')))
}

/** An IPv6 address has a port only behind brackets. */
function splitPort(entry: string): { name: string; only: string | undefined } {
  const [, bracketed, name = entry, only] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? []
  return { name: bracketed ?? name, only }
}
