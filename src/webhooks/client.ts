import { Agent, Client, type Dispatcher } from 'undici'
import { checkUrl, type WebhookSettings } from './address.ts'
import { openConnector } from './connector.ts'
import { BlockedAddress, classOf, type ErrorClass, isBroken, isOwnClosing, TimedOut } from './faults.ts'

/** How much of an answer is kept. */
const ANSWER_BYTES = 4 * 1024
/** How long the beginning of a body may take, once the status is known and has decided. */
const ANSWER_MS = 1_000
/** A kept connection that turns out to be dead within this time is none of the receiver's failures. */
const STALE_WITHIN_MS = 1_000

export interface Post {
  url: string
  /** Besides content-type and user-agent. */
  headers: Record<string, string>
  body: string | Buffer
  /** For everything from the lookup of the name to the status of the answer. */
  timeoutMs: number
  /** Breaks the attempt off; it rejects then, for that is no failure of the receiver. */
  signal?: AbortSignal
}

/** What came of one attempt. */
export interface Outcome {
  /** Null when no answer came. */
  status: number | null
  /** Null when the answer was a 2xx. */
  error: ErrorClass | null
  durationMs: number
  /** The receiver's Retry-After header, as sent. */
  retryAfter: string | null
  /** The first 4 KiB of the answer's body. */
  answer: string
}

export interface WebhookClient {
  /** Makes one attempt. A failure is an outcome; it rejects only when the caller has broken it off or closed the client. */
  post(post: Post): Promise<Outcome>
  /** Closes every connection, with what is under way on it. */
  close(): Promise<void>
}

type Answered = Pick<Outcome, 'status' | 'retryAfter' | 'answer'>

/** Sends webhooks: to addresses that may be sent to, following no redirect, and taking no more of an answer than is kept. */
export function webhookClient(settings: WebhookSettings): WebhookClient {
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
  // No bound on connections: users share hosts, and one whose path hangs would make the others wait. Whoever calls bounds
  // how many attempts are under way, and an origin without connections is forgotten.
  const agent = new Agent(limits)

  async function attempt(post: Post, signal: AbortSignal): Promise<Answered> {
    const startedAt = performance.now()
    try {
      return await send(agent, post, signal)
    } catch (fault) {
      if (!isBroken(fault) || !isStale(fault) || performance.now() - startedAt > STALE_WITHIN_MS) throw fault
      return await sendFresh(post, signal)
    }
  }

  /** On a connection of its own: another kept one could be as dead. */
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
        // The settings may have become stricter since the webhook was made.
        if (typeof checkUrl(post.url, settings) === 'string') throw new BlockedAddress(post.url)
        const answered = await within(post, signal => attempt(post, signal))
        return { ...answered, error: errorOf(answered.status), durationMs: durationMs() }
      } catch (fault) {
        post.signal?.throwIfAborted()
        if (isOwnClosing(fault)) throw fault
        return { status: null, error: classOf(fault), durationMs: durationMs(), retryAfter: null, answer: '' }
      }
    },
    close: () => agent.destroy()
  }
}

/** Runs the attempt with a signal that is given when its time is over or its caller breaks it off. */
async function within<T>({ timeoutMs, signal }: Post, run: (signal: AbortSignal) => Promise<T>) {
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
  return { status: answer.statusCode, retryAfter, answer: await beginningOf(answer.body) }
}

/** Reads as much as is kept. A body that ends by then leaves its connection open for the next; any other is cut off. */
function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  let length = 0
  const finish = () => {
    clearTimeout(timer)
    resolve(textOf(Buffer.concat(chunks).subarray(0, ANSWER_BYTES)))
    if (!body.readableEnded) body.destroy()
  }
  const timer = setTimeout(finish, ANSWER_MS)
  body.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > ANSWER_BYTES) finish()
  })
  // The status has decided: that the rest does not come changes nothing.
  body.on('end', finish).on('error', finish)
  return promise
}

/** Without half a character at its end, and without what the database cannot store. */
function textOf(bytes: Buffer) {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
}

function errorOf(status: number | null): ErrorClass | null {
  if (status === null) return 'other'
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'http_error'
}
