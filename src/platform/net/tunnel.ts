import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIPv6, type Socket } from 'node:net'

const TIMEOUT_MS = 5_000

/** The proxy of this server cannot be reached. */
export class ProxyUnreachable extends Error {
  readonly code = 'PROXY_UNREACHABLE'
}

/** The proxy of this server answered with something else than a connection. */
export class ProxyRefused extends Error {
  readonly code = 'PROXY_REFUSED'
  /** The proxy let the connection through, but found nobody at its end. */
  readonly unreachable: boolean
  /** The proxy wants a user and password, or others. */
  readonly wantsCredentials: boolean

  constructor(status: number) {
    super(`The proxy answered with ${status}`)
    this.wantsCredentials = status === 407
    this.unreachable = status >= 502 && status <= 504
  }
}

/** An end of a tunnel: a name, which the proxy resolves, or an address. */
interface Target {
  host: string
  port: number
}

/** Opens a connection to the target through an HTTP proxy, by CONNECT, with the user and password of the proxy's URL. */
export function openTunnel(proxy: URL, { host, port }: Target): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`
  const send = proxy.protocol === 'https:' ? requestHttps : requestHttp
  const request = send({
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...credentialsOf(proxy) },
    agent: false
  })
  const timer = setTimeout(() => request.destroy(new Error('The proxy does not answer in time')), TIMEOUT_MS)
  promise.catch(() => {}).finally(() => clearTimeout(timer))
  request.on('error', cause => reject(new ProxyUnreachable(cause.message, { cause })))
  request.on('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    if (statusCode < 200 || statusCode > 299) {
      socket.on('error', () => {}).destroy()
      return reject(new ProxyRefused(statusCode))
    }
    if (head.length > 0) socket.unshift(head)
    resolve(socket)
  })
  request.end()
  return promise
}

/** Checks that the proxy answers, by a name that does not exist. Throws an error that says what to do. */
export async function checkProxy(proxy: URL) {
  const tunnel = openTunnel(proxy, { host: 'parlance-check.invalid', port: 443 })
  const failure = await tunnel.then(
    socket => void socket.destroy(),
    (error: unknown) => error
  )
  if (failure instanceof ProxyUnreachable)
    throw new Error(`The proxy ${proxy.host} does not answer; start it, or correct HTTPS_PROXY or HTTP_PROXY.`)
  if (failure instanceof ProxyRefused && failure.wantsCredentials)
    throw new Error(`The proxy ${proxy.host} wants other credentials; set its user and password in its URL.`)
}

function credentialsOf({ username, password }: URL) {
  if (username === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}
