import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { EventList } from '../contract/event.ts'
import { CommandFailed } from './output.ts'

export type FeedEvent = z.infer<typeof EventList>['events'][number]

export interface FeedOptions {
  /** Base URL of the server, without a slash at its end. */
  url: string
  token: string
  /** Starts after this event, or after the newest one; by default after the token's acknowledged cursor. */
  after: number | 'latest' | undefined
  /** Ends the reading. */
  signal: AbortSignal
  /** Called at the beginning of each period in which the server cannot be reached. */
  onAway: (reason: string) => void
  /** Called for the first answer of the server, and for the first one after such a period. */
  onOpen?: (() => void) | undefined
}

/** Less than one request a second: a token has 60 a minute and other uses. */
const POLL_MS = 2_000
const AWAY_MS = 3_000

/** The body of an error response. */
export const Refusal = z.object({ error: z.object({ message: z.string() }) })

/** Yields the events of a feed in order, without acknowledging them. It keeps trying while the server is away. */
export async function* readFeed({ url, token, after, signal, onAway, onOpen }: FeedOptions): AsyncGenerator<FeedEvent> {
  let cursor = after
  let reached: boolean | undefined
  const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => {})
  while (!signal.aborted) {
    const page = await readPage({ url, token, after: cursor, signal })
    if (page.kind === 'stopped') return
    if (page.kind === 'away') {
      if (reached !== false) onAway(page.reason)
      reached = false
      await pause(page.waitMs)
      continue
    }
    if (!reached) onOpen?.()
    reached = true
    for (const event of page.events) if (!signal.aborted) yield event
    cursor = page.next ?? cursor
    if (!page.more) await pause(POLL_MS)
  }
}

type FeedPage =
  | { kind: 'page'; events: FeedEvent[]; next: number | null; more: boolean }
  | { kind: 'away'; reason: string; waitMs: number }
  | { kind: 'stopped' }

async function readPage({
  url,
  token,
  after,
  signal
}: Pick<FeedOptions, 'url' | 'token' | 'after' | 'signal'>): Promise<FeedPage> {
  const query = new URLSearchParams({ limit: '200', ...(after !== undefined && { cursor: String(after) }) })
  try {
    const answer = await fetch(`${url}/v1/events?${query}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)])
    })
    const body: unknown = await answer.json().catch(() => ({}))
    if (answer.ok) {
      const { data: page } = EventList.safeParse(body)
      if (!page) throw new CommandFailed(`${answer.url} is not that of a Parlance server: it answered ${answer.status}`)
      return { kind: 'page', events: page.events, next: page.next_cursor, more: page.has_more }
    }
    const reason = Refusal.safeParse(body).data?.error.message ?? `${url} answered with ${answer.status}`
    if (answer.status !== 429 && answer.status < 500) throw new CommandFailed(reason)
    return { kind: 'away', reason, waitMs: toWaitMs(answer.headers.get('retry-after')) }
  } catch (error) {
    if (signal.aborted) return { kind: 'stopped' }
    if (error instanceof CommandFailed) throw error
    return { kind: 'away', reason: `${url} does not answer; trying again`, waitMs: AWAY_MS }
  }
}

/** Returns the delay that a Retry-After header asks for. A proxy may send a date instead of seconds. */
export function toWaitMs(retryAfter: string | null) {
  return Number(retryAfter) * 1_000 || AWAY_MS
}
