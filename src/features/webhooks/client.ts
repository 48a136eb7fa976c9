import { Agent, Client, type Dispatcher } from 'undici'
import type { ErrorClass, Outcome } from '../../platform/ports/sender.ts'
import { checkUrl, type WebhookSettings } from './address.ts'
import { openConnector } from './connector.ts'
import { BlockedAddress, classifyError, isClientClosed, isReset, TimedOut } from './errors.ts'
import { notSent } from './outcome.ts'

/** The bytes of an answer's body that are kept. */
const MAX_ANSWER_BYTES = 4 * 1024
/** The time for the beginning of a body after the status, which alone decides. */
const ANSWER_TIMEOUT_MS = 1_000
/** If a kept-alive connection breaks within this time, the receiver has not failed. */
const MAX_STALE_MS = 1_000

interface Post {
  url: string
  /** Headers besides content-type and user-agent. */
  headers: Record<string, string>
  body: string | Buffer
  /** The time from the lookup of the name to the status of the answer. */
  timeoutMs: number
  /** Aborts the attempt, which then rejects. The receiver has not failed. */
  signal?: AbortSignal
}

export interface WebhookClient {
  /** Makes one attempt. A failure is an outcome; rejects only when the caller aborts it or closes the client. */
  post(post: Post): Promise<Outcome>
  /** Closes every connection, with the requests in flight on it. */
  close(): Promise<void>
}

type Answered = Pick<Outcome, 'status' | 'retryAfter' | 'answer' | 'answerHeaders'>

/** Posts webhooks to allowed addresses only. Follows no redirect, and reads only the part of an answer that is kept. */
export function openWebhookClient(settings: WebhookSettings): WebhookClient {
  const { connect, isStale } = openConnector(settings)
  const limits = {
    connect,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 4_000,
    headersTimeout: 0,
    bodyTimeout: 0
  }
  // No limit of connections per host: users share hosts, and one whose path hangs would make the others wait.
  // The caller limits the attempts in flight.
  const agent = new Agent(limits)

  async function attempt(post: Post, signal: AbortSignal): Promise<Answered> {
    const startedAt = performance.now()
    try {
      return await send(agent, post, signal)
    } catch (error) {
      if (!isReset(error) || !isStale(error) || performance.now() - startedAt > MAX_STALE_MS) throw error
      return await sendFresh(post, signal)
    }
  }

  /** Uses a new connection: another kept-alive one could be dead as well. */
  async function sendFresh(post: Post, signal: AbortSignal) {
    const client = new Client(new URL(post.url).origin, limits)
    try {
      return await send(client, post, signal)
    } finally {
      await client.destroy()
    }
  }

  return {
    async post(post) {
      const startedAt = performance.now()
      const durationMs = () => Math.round(performance.now() - startedAt)
      try {
        // The settings may have become stricter since the webhook was added.
        if (!(checkUrl(post.url, settings) instanceof URL)) throw new BlockedAddress(post.url)
        const answered = await withTimeout(post, signal => attempt(post, signal))
        return { ...answered, error: errorOf(answered.status), durationMs: durationMs() }
      } catch (error) {
        post.signal?.throwIfAborted()
        if (isClientClosed(error)) throw error
        return { ...notSent(classifyError(error)), durationMs: durationMs() }
      }
    },
    close: () => agent.destroy()
  }
}

/** Runs the attempt with a signal that aborts at its deadline or when its caller aborts. */
async function withTimeout<T>({ timeoutMs, signal }: Post, run: (signal: AbortSignal) => Promise<T>) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new TimedOut()), timeoutMs)
  const stop = () => controller.abort(signal?.reason)
  signal?.throwIfAborted()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await run(controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

async function send(dispatcher: Dispatcher, { url, headers, body }: Post, signal: AbortSignal): Promise<Answered> {
  const { origin, pathname, search } = new URL(url)
  const answer = await dispatcher.request({
    origin,
    path: pathname + search,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Parlance-Webhooks/1.0' },
    body,
    signal
  })
  const retryAfter = [answer.headers['retry-after']].flat()[0] ?? null
  const answerHeaders = keptHeaders(answer.headers)
  return { status: answer.statusCode, retryAfter, answerHeaders, answer: await readBeginning(answer.body) }
}

/** Those that say who answered, and why. Cookies are not among them. */
const KEPT_HEADERS = [
  'allow',
  'cf-ray',
  'content-length',
  'content-type',
  'date',
  'location',
  'retry-after',
  'server',
  'via',
  'www-authenticate',
  'x-request-id'
]
const MAX_HEADER_CHARACTERS = 200

function keptHeaders(headers: Dispatcher.ResponseData['headers']) {
  const lines = KEPT_HEADERS.flatMap(name => {
    const value = [headers[name]].flat().join(', ')
    return value === '' ? [] : [`${name}: ${value.replaceAll('\0', '').slice(0, MAX_HEADER_CHARACTERS)}`]
  })
  return lines.join('\n')
}

/** Reads the kept part of a body. The connection stays open if the body ends within it; a longer body is cut off. */
function readBeginning(body: Dispatcher.ResponseData['body']): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  let length = 0
  const finish = () => {
    clearTimeout(timer)
    resolve(decodeAnswer(Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES)))
    if (!body.readableEnded) body.destroy()
  }
  const timer = setTimeout(finish, ANSWER_TIMEOUT_MS)
  body.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) finish()
  })
  // The status has decided, so an incomplete body changes nothing.
  body.on('end', finish).on('error', finish)
  return promise
}

/** Removes half a character at the end, and NUL, which Postgres cannot store. */
function decodeAnswer(bytes: Buffer) {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
}

function errorOf(status: number | null): ErrorClass | null {
  if (status === null) return 'other'
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'http_error'
}
