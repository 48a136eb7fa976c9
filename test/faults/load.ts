import { expect } from 'vitest'
import type { Place } from '../support/process.ts'
import { fileIn, newOwner, rowsOf, runJson } from '../support/process.ts'

const SESSIONS = 4
/** A request that is not answered by then hangs. */
export const BUDGET_MS = 25_000

interface Target {
  url: string
}

export interface Seen {
  /** Answers by their status; 0 for a connection that broke. */
  statuses: Map<number, number>
  /** What should never be: other than an answer of the contract. */
  strange: string[]
  slowestMs: number
}

/** An owner of a few sessions, whose titles are changed and read until it is stopped. What was acknowledged is remembered. */
export async function loadOf(place: Place) {
  const owner = await newOwner(place)
  // Each with words of its own: the same content twice is one session.
  const document = (n: number) => {
    const segments = [{ speaker: 'Ada', start: 0, end: 1, text: `Hello number ${n}.` }]
    return JSON.stringify({ title: 'Untouched', summary: 'Given.', action_items: [], segments })
  }
  const lines = Array.from({ length: SESSIONS }, (_, n) => document(n)).join('\n')
  const imported = await runJson(place, 'import', '--user', owner.id, '--wait', fileIn(place.dataDir, `${owner.id}.jsonl`, lines))
  const ids = imported.map(({ session_id }) => String(session_id))
  expect(new Set(ids).size).toBe(SESSIONS)
  const acknowledged = new Map<string, string[]>(ids.map(id => [id, []]))
  const attempted = new Map<string, string[]>(ids.map(id => [id, []]))
  let number = 0

  async function ask(url: string, seen: Seen, path: string, body?: object) {
    const startedAt = performance.now()
    try {
      const reply = await fetch(`${url}/v1${path}`, {
        method: body ? 'PATCH' : 'GET',
        headers: { authorization: `Bearer ${owner.token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(BUDGET_MS)
      })
      const text = await reply.text()
      count(seen, reply.status)
      if (reply.status >= 500 && !isRefusal(text)) seen.strange.push(`${reply.status}: ${text.slice(0, 200)}`)
      if (reply.status === 503 && !reply.headers.has('retry-after')) seen.strange.push('a 503 without Retry-After')
      if (reply.status >= 400 && reply.status < 500) seen.strange.push(`${reply.status}: ${text.slice(0, 200)}`)
      return reply.status === 200
    } catch (fault) {
      if (fault instanceof Error && fault.name === 'TimeoutError') seen.strange.push('no answer in time')
      count(seen, 0)
      return false
    } finally {
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAt)
    }
  }

  /** Until stopped, one writer for each session and two readers, each with the next of the targets. */
  function start(targets: Target[]) {
    const seen: Seen = { statuses: new Map(), strange: [], slowestMs: 0 }
    let running = true
    let turn = 0
    const next = () => targets[turn++ % targets.length]!.url
    const writers = ids.map(async id => {
      while (running) {
        const title = `Change ${++number}`
        attempted.get(id)!.push(title)
        if (await ask(next(), seen, `/sessions/${id}`, { title })) acknowledged.get(id)!.push(title)
        await new Promise(done => setTimeout(done, 5))
      }
    })
    const readers = ['/sessions?limit=10', '/events?cursor=0&limit=5'].map(async path => {
      while (running) {
        await ask(next(), seen, path)
        await new Promise(done => setTimeout(done, 5))
      }
    })
    return async () => {
      running = false
      await Promise.all([...writers, ...readers])
      return seen
    }
  }

  /** Nothing acknowledged is lost, nothing is there twice or out of order, and each row is as its newest event says. */
  async function check() {
    const events = await rowsOf(place, 'select seq, session_id, type, body from events where user_id = $1 order by seq', [owner.id])
    expect(events.map(({ seq }) => Number(seq))).toEqual(events.map((_, n) => n + 1))
    const rows = await rowsOf(place, 'select session_id, title from sessions where user_id = $1', [owner.id])
    for (const id of ids) {
      const told = events
        .filter(event => event.session_id === id && event.type === 'session.updated')
        .map(({ body }) => JSON.parse(String(body)).data.session.title as string)
      expect(new Set(told).size).toBe(told.length)
      // All that was acknowledged is there, in order, and beside it only what was attempted without an answer.
      expect(told.filter(title => acknowledged.get(id)!.includes(title))).toEqual(acknowledged.get(id))
      expect(told.filter(title => !attempted.get(id)!.includes(title))).toEqual([])
      expect(rows.find(row => row.session_id === id)?.title).toBe(told.at(-1) ?? 'Untouched')
    }
    return [...acknowledged.values()].reduce((sum, titles) => sum + titles.length, 0)
  }

  return { owner, ids, start, check }
}

function count({ statuses }: Seen, status: number) {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

function isRefusal(text: string) {
  return /^\{"error":\{"code":"(service_unavailable|internal_error)","message":"[^"]+"\}\}$/.test(text)
}
