// Reads over HTTP what the owner of TOKEN has on a restored server, and says as one line of JSON what that is. Ends with 1 at
// the first thing that is missing: a session of the list, its transcript, its recording, an event of the feed.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'

const base = process.argv[2] ?? ''
const authorization = `Bearer ${process.env.TOKEN}`

interface Session {
  id: string
  favorite: boolean
}
interface Page {
  sessions: Session[]
  next_cursor: string | null
  has_more: boolean
}
interface Feed {
  events: { id: string; seq: number; event: string; data: { session: { id: string } } }[]
  has_more: boolean
}

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const reply = await fetch(`${base}/v1${path}`, { ...init, headers: { authorization, ...init.headers } })
  const text = await reply.text()
  strictEqual(reply.status, 200, `${init.method ?? 'GET'} ${path} answers ${reply.status}: ${text}`)
  return JSON.parse(text)
}

async function listSessions() {
  const sessions: Session[] = []
  for (let cursor = ''; ; ) {
    const page = await ask<Page>(`/sessions?limit=100${cursor}`)
    sessions.push(...page.sessions)
    if (!page.has_more) return sessions
    cursor = `&cursor=${encodeURIComponent(page.next_cursor ?? '')}`
  }
}

async function listEvents() {
  const events: Feed['events'] = []
  for (;;) {
    const page = await ask<Feed>(`/events?limit=100&cursor=${events.at(-1)?.seq ?? 0}`)
    events.push(...page.events)
    if (!page.has_more) return events
  }
}

/** Returns the number of recordings of a session; each must be readable. */
async function checkRecordings(id: string) {
  const links = await ask<{ audio_url: string | null; video_url: string | null }>(`/sessions/${id}/media`)
  const ours = [links.audio_url, links.video_url].filter(link => link?.startsWith(base))
  for (const link of ours) {
    const reply = await fetch(link ?? '', { headers: { range: 'bytes=0-0' } })
    strictEqual(reply.status, 206, `the recording of ${id} answers ${reply.status}`)
    await reply.arrayBuffer()
  }
  return ours.length
}

const account = await ask<{ session_count: number }>('/account')
const sessions = await listSessions()
strictEqual(sessions.length, account.session_count, 'the list has as many sessions as the account counts')
strictEqual(new Set(sessions.map(({ id }) => id)).size, sessions.length, 'no session is listed twice')
let recordings = 0
for (const { id } of sessions) {
  strictEqual((await ask<Session>(`/sessions/${id}`)).id, id)
  await ask(`/sessions/${id}/transcript`)
  recordings += await checkRecordings(id)
}

const events = await listEvents()
const first = events[0]?.seq ?? 1
deepStrictEqual(
  events.map(({ seq }) => seq),
  events.map((_, index) => first + index),
  'the feed has no gap'
)
strictEqual(new Set(events.map(({ id }) => id)).size, events.length, 'no event is there twice')

// Changes on the copy continue where the backup ends.
const [session] = sessions
ok(session, 'the owner of TOKEN has no sessions; name one who has')
const body = JSON.stringify({ favorite: !session.favorite })
await ask(`/sessions/${session.id}`, { method: 'PATCH', body, headers: { 'content-type': 'application/json' } })
const last = first + events.length - 1
const { events: after } = await ask<Feed>(`/events?cursor=${last}`)
deepStrictEqual(
  after.map(({ seq, event, data }) => [seq, event, data.session.id]),
  [[last + 1, 'session.updated', session.id]],
  'the next event follows the last one of the backup'
)

console.log(
  JSON.stringify({ sessions: sessions.length, recordings, events: events.length, first_seq: first, last_seq: last })
)
