import { expect } from 'vitest'
import { commandJson } from '../support/command.ts'
import type { Place } from '../support/process.ts'
import { fileIn, newOwner, rowsOf, until } from '../support/process.ts'
import type { Received } from '../support/receiver.ts'

/** Whether tests take hours where a short form takes minutes. */
export const LONG = process.env.FAULTS === 'long'

/** A request that is not answered by then hangs. */
export const BUDGET_MS = 25_000

/** What lets a server of the tests be asked as often as they like, and post to receivers on this machine. */
export const UNLIMITED = {
  RATE_LIMIT_PER_MINUTE: '10000000',
  RATE_LIMIT_ASSISTANT_PER_MINUTE: '10000000',
  RATE_LIMIT_PER_DAY: '100000000',
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8'
}

interface Target {
  url: string
}

export interface Seen {
  /** Answers by their status; 0 for a connection that broke. */
  statuses: Map<number, number>
  /** The same, of reads alone. */
  reads: Map<number, number>
  /** What should never be: other than an answer of the contract. */
  strange: string[]
  slowestMs: number
}

/** One change of everything that a client may change: if half of it were there, the rest would say another number. */
const changeOf = (number: number) => {
  const title = `Change ${number}`
  return { title, notes: title, tags: [title], action_items: [{ text: title }] }
}

type Detail = { title: string; notes: string; tags: string[]; action_items: { text: string }[] }
const titleOf = ({ title, notes, tags, action_items: items }: Detail) => {
  expect([notes, ...tags, ...items.map(({ text }) => text)]).toEqual([title, title, title])
  return title
}

/** An owner of a few sessions, which are changed and read until it is stopped. What was acknowledged is remembered. */
export async function loadOf(place: Place, { sessions = 4 } = {}) {
  const owner = await newOwner(place)
  // Each with words of its own: the same content twice is one session.
  const document = (n: number) => {
    const segments = [{ speaker: 'Ada', start: 0, end: 1, text: `Hello number ${n}.` }]
    return JSON.stringify({ title: 'Untouched', summary: 'Given.', action_items: [], segments })
  }
  const lines = Array.from({ length: sessions }, (_, n) => document(n)).join('\n')
  const imported = await commandJson(
    place,
    'import',
    '--user',
    owner.id,
    '--wait',
    fileIn(place.dataDir, `${owner.id}.jsonl`, lines)
  )
  const ids = imported.map(({ session_id }) => String(session_id))
  expect(new Set(ids).size).toBe(sessions)
  const acknowledged = new Map<string, string[]>(ids.map(id => [id, []]))
  const attempted = new Map<string, string[]>(ids.map(id => [id, []]))
  let number = 0

  async function ask(url: string, seen: Seen, path: string, body?: object) {
    const startedAt = performance.now()
    const counts = body ? [seen.statuses] : [seen.statuses, seen.reads]
    try {
      const reply = await fetch(`${url}/v1${path}`, {
        method: body ? 'PATCH' : 'GET',
        headers: { authorization: `Bearer ${owner.token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(BUDGET_MS)
      })
      const text = await reply.text()
      for (const count of counts) add(count, reply.status)
      if (reply.status >= 500 && !isRefusal(text)) seen.strange.push(`${reply.status}: ${text.slice(0, 200)}`)
      if (reply.status === 503 && !reply.headers.has('retry-after')) seen.strange.push('a 503 without Retry-After')
      if (reply.status >= 400 && reply.status < 500) seen.strange.push(`${reply.status}: ${text.slice(0, 200)}`)
      return reply.status === 200
    } catch (fault) {
      if (fault instanceof Error && fault.name === 'TimeoutError') seen.strange.push('no answer in time')
      for (const count of counts) add(count, 0)
      // Who is not there is not asked a hundred times a second.
      await new Promise(done => setTimeout(done, 100))
      return false
    } finally {
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAt)
    }
  }

  /** Until stopped, one writer for each session and two readers, each with the next of the targets there are at that moment. */
  function start(targets: Target[], { pauseMs = 5 } = {}) {
    const seen: Seen = { statuses: new Map(), reads: new Map(), strange: [], slowestMs: 0 }
    let running = true
    let turn = 0
    const next = () => targets[turn++ % targets.length]!.url
    const pause = () => new Promise(done => setTimeout(done, pauseMs))
    const writers = ids.map(async id => {
      while (running) {
        const change = changeOf(++number)
        attempted.get(id)!.push(change.title)
        if (await ask(next(), seen, `/sessions/${id}`, change)) acknowledged.get(id)!.push(change.title)
        await pause()
      }
    })
    const readers = ['/sessions?limit=10', '/events?cursor=0&limit=5'].map(async path => {
      while (running) {
        await ask(next(), seen, path)
        await pause()
      }
    })
    const stop = async () => {
      running = false
      await Promise.all([...writers, ...readers])
      return seen
    }
    return Object.assign(stop, { seen })
  }

  /**
   * Nothing acknowledged is lost, nothing is there twice, by half or out of order, every change has its two events one after the
   * other, and each row, with what is kept beside it, is as its newest event says. `completed` is how
   * many sessions beside its own there are. Returns how many acknowledged changes it has looked at.
   */
  async function check({ completed = 0 } = {}) {
    const events = await listEvents()
    expect(events.map(({ seq }) => Number(seq))).toEqual(events.map((_, n) => n + 1))
    const rows = await rowsOf(
      place,
      `select session_id, title, notes, tags, action_items, action_items_version::int as version,
        (select array_agg(tag) from session_tags t where t.user_id = s.user_id and t.session_id = s.session_id) as listed
      from sessions s where user_id = $1`,
      [owner.id]
    )
    for (const id of ids) {
      const told = events.filter(event => event.session_id === id && event.type !== 'session.completed')
      expect(told.map(({ type }) => type)).toEqual(
        told.map((_, n) => `session.${n % 2 === 0 ? 'updated' : 'action_items.updated'}`)
      )
      expect(told.every(({ seq }, n) => n % 2 === 0 || Number(seq) === Number(told[n - 1]!.seq) + 1)).toBe(true)
      const titles = told.map(({ body }) => titleOf(JSON.parse(String(body)).data.session))
      const changes = titles.filter((_, n) => n % 2 === 0)
      expect(titles.filter((_, n) => n % 2 === 1)).toEqual(changes)
      expect(new Set(changes).size).toBe(changes.length)
      // All that was acknowledged is there, in order, and beside it only what was attempted without an answer.
      const known = new Set(acknowledged.get(id))
      expect(changes.filter(title => known.has(title))).toEqual(acknowledged.get(id))
      const tried = new Set(attempted.get(id))
      expect(changes.filter(title => !tried.has(title))).toEqual([])
      const { version, listed, ...row } = rows.find(row => row.session_id === id) as unknown as Detail & {
        version: number
        listed: string[]
      }
      // The row's own count of its changes: one without its events, or events of none, would show.
      expect(version).toBe(changes.length + 1)
      if (changes.length === 0) continue
      expect(titleOf(row)).toBe(changes.at(-1))
      expect(listed).toEqual([changes.at(-1)])
    }
    expect(events.filter(({ type }) => type === 'session.completed').length).toBe(sessions + completed)
    return countAcknowledged()
  }

  function countAcknowledged() {
    return [...acknowledged.values()].reduce((sum, titles) => sum + titles.length, 0)
  }

  /** Until so many changes more than now are acknowledged. */
  async function progress(changes: number, withinMs?: number) {
    const before = countAcknowledged()
    await until('changes are acknowledged', () => countAcknowledged() >= before + changes, withinMs)
  }

  async function listEvents() {
    return await rowsOf(
      place,
      'select seq, event_id, session_id, type, body from events where user_id = $1 order by seq',
      [owner.id]
    )
  }

  /** Makes a folder, and returns the status of the answer. */
  async function addFolder({ url }: Target, name: string) {
    const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' }
    return (await fetch(`${url}/v1/folders`, { method: 'POST', headers, body: JSON.stringify({ name }) })).status
  }

  /** Makes a webhook at that server that is sent every change. */
  async function subscribe({ url }: Target, receiverUrl: string) {
    const reply = await fetch(`${url}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiverUrl, events: ['session.updated', 'session.action_items.updated'] })
    })
    expect(reply.status).toBe(201)
    return String(((await reply.json()) as { id: string }).id)
  }

  /**
   * Waits until every change was delivered; what came more than once came under the id and with the body it had before, and nothing
   * came that never happened. Returns how many events there are, and how many requests came beyond one each.
   */
  async function checkDelivered(received: Received[], withinMs: number) {
    const events = (await listEvents()).filter(({ type }) => type !== 'session.completed')
    const came = () => new Set(received.map(({ id }) => id))
    await until('every event has come', () => came().size >= events.length, withinMs).catch(() => {})
    expect(events.filter(({ event_id }) => !came().has(String(event_id)))).toEqual([])
    const bodies = new Map(events.map(({ event_id, body }) => [event_id, JSON.parse(String(body))]))
    for (const { id, body } of received) expect(JSON.parse(body)).toEqual(bodies.get(id))
    return { events: events.length, repeated: received.length - events.length }
  }

  return { owner, ids, start, check, progress, addFolder, subscribe, checkDelivered }
}

/** How many there are of all statuses. */
export function total(counts: Map<number, number>) {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** What a longer run has to show for itself. */
export function report(line: string) {
  if (process.env.FAULTS) console.log(line)
}

function add(counts: Map<number, number>, status: number) {
  counts.set(status, (counts.get(status) ?? 0) + 1)
}

function isRefusal(text: string) {
  return /^\{"error":\{"code":"(service_unavailable|internal_error)","message":"[^"]+"\}\}$/.test(text)
}
