import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'
import { openAdmission } from './admission.ts'
import { CHANGE, DETAIL, EVENTS, EXPORT, LIST, LIST_BY, RECORD, STATS, TRANSCRIPT } from './statements.ts'

/** The yardstick: Fastify and pg with named statements by hand, without schemas. ADMISSION=yes adds tokens and limits, by one statement for a batch of requests. */

interface Listed {
  id: string
  title: string
  timestamp: Date | null
  duration_seconds: number
  type: string
  platform: string | null
  audio_deleted_at: Date | null
  phone: object | null
  sort_at: Date
}

interface Segment {
  speaker: string
  start: number
  end: number
  text: string
}

const LIMIT = 20
const EVENTS_LIMIT = 50
const DAY_MS = 86_400_000

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  application_name: process.env.ADMISSION === 'yes' ? 'bench admitted' : 'bench bare',
  options: '-c TimeZone=UTC',
  max: 10,
  keepAlive: true
})
const app = Fastify({ logger: false })
if (process.env.ADMISSION === 'yes') {
  const admit = openAdmission(pool)
  app.addHook('onRequest', async ({ url, headers }, reply) => {
    if (url !== '/' && !(await admit(headers.authorization))) return await reply.code(401).send()
  })
}

type Filter = Partial<Record<keyof typeof LIST_BY, string>>

app.get<{ Params: { user: string }; Querystring: Filter }>('/:user/sessions', async ({ params: { user }, query }) => {
  const values = [user, 'infinity', '-infinity', LIMIT + 1]
  const [filter] = Object.entries(query) as [keyof typeof LIST_BY, string][]
  const { rows } = await pool.query<Listed>(
    filter ? { ...LIST_BY[filter[0]], values: [...values, filter[1]] } : { ...LIST, values }
  )
  const page = rows.slice(0, LIMIT)
  const hasMore = rows.length > LIMIT
  return { sessions: page.map(toItem), next_cursor: hasMore ? page.at(-1)?.sort_at : null, has_more: hasMore }
})

function toItem({ id, title, timestamp, duration_seconds, type, platform, audio_deleted_at, phone }: Listed) {
  const item = { id, title, timestamp, duration_seconds, type, platform, audio_deleted_at }
  return phone ? { ...item, phone } : item
}

app.get<{ Params: { user: string; id: string } }>('/:user/sessions/:id', async ({ params: { user, id } }) => {
  const { rows } = await pool.query({ ...DETAIL, values: [user, id] })
  return rows[0]
})

app.get<{ Params: { user: string; id: string } }>(
  '/:user/sessions/:id/transcript',
  async ({ params: { user, id } }) => {
    const { rows } = await pool.query<{ segments: Segment[] }>({ ...TRANSCRIPT, values: [user, id] })
    const segments = rows[0]?.segments ?? []
    return { id, transcript: textOf(segments), segments }
  }
)

function textOf(segments: Segment[]) {
  return segments.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n')
}

app.get<{ Params: { user: string }; Querystring: { since: string; until: string } }>(
  '/:user/sessions/stats',
  async ({ params, query }) => {
    const { since, until } = query
    const [first, last] = [
      Math.ceil(Date.parse(since) / DAY_MS) * DAY_MS,
      Math.floor(Date.parse(until) / DAY_MS) * DAY_MS
    ]
    const values = [params.user, since, until, new Date(first), new Date(last)]
    const { rows } = await pool.query<{ type: string; platform: string; sessions: number; seconds: number }>({
      ...STATS,
      values
    })
    const [byType, byPlatform]: Record<string, number>[] = [{}, {}]
    let [sessions, seconds] = [0, 0]
    for (const row of rows) {
      sessions += row.sessions
      seconds += row.seconds
      byType![row.type] = (byType![row.type] ?? 0) + row.sessions
      byPlatform![row.platform] = (byPlatform![row.platform] ?? 0) + row.sessions
    }
    return {
      total_sessions: sessions,
      total_duration_seconds: seconds,
      average_duration_seconds: sessions > 0 ? seconds / sessions : 0,
      sessions_by_type: byType,
      sessions_by_platform: byPlatform,
      period: { since, until }
    }
  }
)

app.get<{ Params: { user: string }; Querystring: { cursor: string } }>(
  '/:user/events',
  async ({ params, query }, reply) => {
    const { rows } = await pool.query<{ seq: string; body: string }>({
      ...EVENTS,
      values: [params.user, query.cursor, EVENTS_LIMIT + 1]
    })
    const page = rows.slice(0, EVENTS_LIMIT)
    const events = page.map(({ seq, body }) => `{"seq":${seq},${body.slice(1)}`)
    reply.type('application/json; charset=utf-8')
    return `{"events":[${events.join(',')}],"next_cursor":${page.at(-1)?.seq ?? null},"has_more":${rows.length > EVENTS_LIMIT}}`
  }
)

app.post<{ Params: { user: string }; Body: { session_ids: string[] } }>(
  '/:user/sessions/bulk',
  async ({ params, body }) => {
    const { rows } = await pool.query<Listed & { segments: Segment[] }>({
      ...EXPORT,
      values: [params.user, body.session_ids]
    })
    return {
      sessions: rows.map(({ segments, ...session }) => ({ ...session, transcript: textOf(segments) })),
      errors: []
    }
  }
)

app.patch<{ Params: { user: string; id: string }; Body: { favorite: boolean } }>(
  '/:user/sessions/:id',
  async ({ params, body }) => {
    const { user, id } = params
    const now = new Date()
    const client = await pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query({ ...CHANGE, values: [user, id, body.favorite, now] })
      const eventId = `evt_${randomUUID()}`
      const event = { id: eventId, event: 'session.updated', created_at: now, data: { session: rows[0] } }
      await client.query({ ...RECORD, values: [user, eventId, id, now, JSON.stringify(event)] })
      await client.query('commit')
      return { id, updated_fields: Object.keys(body), updated_at: now }
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }
)

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
