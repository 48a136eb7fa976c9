import Fastify from 'fastify'
import pg from 'pg'

/** The yardstick: what Fastify and pg do with one named statement a request, and nothing around it. */

const COLUMNS = 'session_id as id, title, "timestamp", duration_seconds, type, platform, audio_deleted_at, phone'

const LIST = {
  name: 'list',
  text: `select ${COLUMNS}, sort_at from sessions
    where user_id = $1 and state = 'completed' and sort_at < $2::timestamptz and sort_at >= $3::timestamptz
    order by sort_at desc limit $4`
}

const DETAIL = {
  name: 'detail',
  text: `select ${COLUMNS}, language, summary, notes, tags, favorite,
      array(select folder_id from folder_sessions f where f.user_id = s.user_id and f.session_id = s.session_id order by folder_id)
        as folder_ids,
      coalesce(action_items, '[]') as action_items, action_items_version
    from sessions s where user_id = $1 and session_id = $2`
}

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

const LIMIT = 20

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  application_name: 'bench bare',
  options: '-c TimeZone=UTC',
  max: 10,
  keepAlive: true
})
const app = Fastify({ logger: false })

app.get<{ Params: { user: string } }>('/:user/sessions', async ({ params: { user } }) => {
  const { rows } = await pool.query<Listed>({ ...LIST, values: [user, 'infinity', '-infinity', LIMIT + 1] })
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

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
