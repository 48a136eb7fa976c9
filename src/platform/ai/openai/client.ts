import OpenAI from 'openai'
import { Agent, Dispatcher1Wrapper } from 'undici'
import { type Outbound, proxyFor } from '../../net/proxies.ts'
import { tunnelConnectors } from '../../net/tunnel-connector.ts'
import { toFormBody } from './form-body.ts'

export interface ClientOptions extends Outbound {
  /** Undefined for a server that wants none. */
  apiKey: string | undefined
  /** The URL up to and including /v1. */
  baseUrl: string
  /** The time for one attempt of a request, until its response has been read. */
  timeoutMs?: number
  maxResponseBytes?: number
}

/** The time for a request that only checks whether a server answers. */
export const CHECK_TIMEOUT_MS = 10_000

/** A client of an OpenAI-compatible server with connections of its own. */
export function openClient({
  apiKey,
  baseUrl,
  timeoutMs = 60_000,
  maxResponseBytes = 32 * 1024 * 1024,
  proxies,
  certificate
}: ClientOptions) {
  // The SDK limits neither the size of a response nor the time that the body of a refusal takes.
  const limits = { headersTimeout: 0, bodyTimeout: timeoutMs, maxResponseSize: maxResponseBytes }
  const proxy = proxyFor(proxies, new URL(baseUrl))
  const agent = new Agent({
    ...limits,
    connect: proxy ? tunnelConnectors({ ...certificate })(proxy) : { ...certificate }
  })
  const client = new OpenAI({
    // The SDK wants a key even where none is sent.
    apiKey: apiKey ?? 'no-key',
    ...(apiKey === undefined && { defaultHeaders: { authorization: null } }),
    baseURL: baseUrl,
    timeout: timeoutMs,
    fetch: sendForms,
    // A redirected POST would arrive as a GET; and fetch keeps a copy of an upload that it may have to send again.
    fetchOptions: { dispatcher: new Dispatcher1Wrapper(agent), redirect: 'error' },
    logLevel: 'off',
    // Unless named, the SDK takes these from the environment, past the configuration.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null
  })
  return { client, close: () => agent.destroy() }
}

const sendForms: typeof fetch = async (url, init) =>
  await fetch(url, init?.body instanceof FormData ? { ...init, body: toFormBody(init.body) } : init)
