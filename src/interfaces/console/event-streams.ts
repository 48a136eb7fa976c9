import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { LIMITS } from '../../contract/limits.ts'
import { holdUntilRead } from '../../platform/net/hold-until-read.ts'
import { openBudget } from '../../platform/work/budget.ts'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would keep the events until it has a few kilobytes of them.
  'x-accel-buffering': 'no'
}

/** A stream ends after this time. The browser opens the next one, for which it is authenticated anew. */
const LIFETIME_MS = 55_000

export type Events = (signal: AbortSignal) => Promise<AsyncIterable<string>>

export type EventStreams = ReturnType<typeof openEventStreams>

/** The server-sent events of this process. `lifetimeMs` is the longest time of a stream. */
export function openEventStreams(lifetimeMs = LIFETIME_MS) {
  const take = openBudget(LIMITS.openStreams, 'Too many pages wait for the processing of sessions')
  const open = new Map<string, Set<AbortController>>()
  let closed = false

  function end(userId: string) {
    for (const stream of open.get(userId) ?? []) stream.abort()
  }

  return {
    /** Answers with a stream of the user. */
    async send(reply: FastifyReply, userId: string, events: Events) {
      const place = take(userId, 1)
      const stream = new AbortController()
      const ofUser = open.get(userId) ?? new Set()
      open.set(userId, ofUser.add(stream))
      holdUntilRead(reply.raw, {
        [Symbol.dispose]() {
          stream.abort()
          place[Symbol.dispose]()
          ofUser.delete(stream)
          if (ofUser.size === 0 && open.get(userId) === ofUser) open.delete(userId)
        }
      })
      if (closed) stream.abort()
      const pieces = await events(AbortSignal.any([stream.signal, AbortSignal.timeout(lifetimeMs)]))
      return reply.headers(HEADERS).send(Readable.from(pieces, { objectMode: false }))
    },
    /** Ends the streams of a user who signs out. Other browsers of theirs open new ones. */
    end,
    /** Ends all streams, so that the server can stop. */
    close() {
      closed = true
      for (const userId of open.keys()) end(userId)
    }
  }
}
