import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI, { APIConnectionError, APIError } from 'openai'
import { Agent } from 'undici'
import { ProviderError, toAiError } from './faults.ts'
import { BodyTooLarge, boundedFetch } from './fetch.ts'

export interface TransportOptions {
  apiKey: string
  baseUrl: string
  connectTimeoutMs: number
  retryDelayMs: number
  maxResponseBytes: number
}

export interface Call {
  /** From the first byte sent to the last one received, for each try. */
  timeoutMs: number
  retries: number
  /** The users' words in the request; an error message never repeats them. */
  sent?: string
  signal?: AbortSignal | undefined
}

/** Makes a request, repeats it where that can help, and rejects with an AiError; the answer is whatever the provider sent. */
export type Send = (request: (client: OpenAI, signal: AbortSignal) => Promise<unknown>, call: Call) => Promise<unknown>

export function openTransport(options: TransportOptions): { send: Send; close(): Promise<void> } {
  // Waiting is bounded for the whole request, so the parts need no limits of their own.
  const agent = new Agent({ connect: { timeout: options.connectTimeoutMs }, headersTimeout: 0, bodyTimeout: 0 })
  const client = new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseUrl,
    fetch: boundedFetch(agent, options.maxResponseBytes),
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    logLevel: 'off',
    // Unless named, the SDK takes these from the environment, past the configuration.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null
  })
  return { send: (request, call) => send(client, options, request, call), close: () => agent.destroy() }
}

async function send(client: OpenAI, { apiKey, retryDelayMs }: TransportOptions, request: Parameters<Send>[0], call: Call) {
  for (let tries = 0; ; tries++) {
    const deadline = AbortSignal.timeout(call.timeoutMs)
    try {
      return await request(client, call.signal ? AbortSignal.any([call.signal, deadline]) : deadline)
    } catch (fault) {
      call.signal?.throwIfAborted()
      if (deadline.aborted) throw new ProviderError(`The AI provider did not answer within ${call.timeoutMs / 1000} s.`, { final: false })
      // A body that says it is JSON and is not; the caller judges it with the other broken answers.
      if (fault instanceof SyntaxError) return undefined
      const delayMs = tries < call.retries ? retryAfterMs(fault, tries, retryDelayMs) : undefined
      if (delayMs === undefined) throw toAiError(fault, { apiKey, sent: call.sent ?? '' })
      await pause(delayMs, call.signal)
    }
  }
}

async function pause(delayMs: number, signal: AbortSignal | undefined) {
  try {
    await sleep(delayMs, undefined, { signal })
  } catch {
    signal?.throwIfAborted()
  }
}

const LONGEST_WAIT_MS = 30_000

/** How long to wait before the same request is made again; undefined when that would not help. */
export function retryAfterMs(fault: unknown, tries: number, firstDelayMs: number): number | undefined {
  if (!isPassing(fault)) return undefined
  const jittered = firstDelayMs * 2 ** tries * (0.75 + Math.random() / 2)
  const named = fault instanceof APIError && fault.headers ? namedDelayMs(fault.headers) : undefined
  return Math.min(named ?? jittered, LONGEST_WAIT_MS)
}

function isPassing(fault: unknown) {
  if (fault instanceof APIConnectionError) return !(fault.cause instanceof BodyTooLarge)
  if (!(fault instanceof APIError) || fault.status === undefined) return false
  return fault.status >= 500 || fault.status === 408 || fault.status === 409 || fault.status === 429
}

function namedDelayMs(headers: Headers) {
  const milliseconds = headers.get('retry-after-ms')
  if (milliseconds !== null && Number(milliseconds) >= 0) return Number(milliseconds)
  const after = headers.get('retry-after')
  if (after === null) return undefined
  const delayMs = Number.isNaN(Number(after)) ? Date.parse(after) - Date.now() : Number(after) * 1000
  return Number.isNaN(delayMs) ? undefined : Math.max(delayMs, 0)
}
