import express from 'express'
import { DataTypes, Sequelize } from 'sequelize'

/** The most common stack written by hand: Express, and an ORM with a model, as their documentation shows them. */

const LIMIT = 20

const sequelize = new Sequelize(process.env.DATABASE_URL ?? '', {
  dialect: 'postgres',
  logging: false,
  pool: { max: 10 },
  dialectOptions: { application_name: 'bench sequelize', keepAlive: true }
})

const Session = sequelize.define(
  'session',
  {
    user_id: { type: DataTypes.TEXT, primaryKey: true },
    id: { type: DataTypes.TEXT, primaryKey: true, field: 'session_id' },
    state: DataTypes.TEXT,
    title: DataTypes.TEXT,
    timestamp: DataTypes.DATE,
    duration_seconds: DataTypes.DOUBLE,
    type: DataTypes.TEXT,
    platform: DataTypes.TEXT,
    audio_deleted_at: DataTypes.DATE,
    phone: DataTypes.JSONB,
    sort_at: DataTypes.DATE
  },
  { tableName: 'sessions', timestamps: false }
)

const LISTED = [
  'id',
  'title',
  'timestamp',
  'duration_seconds',
  'type',
  'platform',
  'audio_deleted_at',
  'phone',
  'sort_at'
]

const app = express()
// The other peers send neither their name nor an ETag.
app.disable('x-powered-by')
app.disable('etag')

app.get('/:user/sessions', async (request, response) => {
  const where = { user_id: request.params.user, state: 'completed' }
  const rows = await Session.findAll({ attributes: LISTED, where, order: [['sort_at', 'DESC']], limit: LIMIT + 1 })
  const page = rows.slice(0, LIMIT).map(row => row.toJSON())
  const hasMore = rows.length > LIMIT
  response.json({ sessions: page.map(toItem), next_cursor: hasMore ? page.at(-1)?.sort_at : null, has_more: hasMore })
})

function toItem({ sort_at, phone, ...item }: Record<string, unknown>) {
  return phone ? { ...item, phone } : item
}

app.listen(Number(process.env.PORT), '127.0.0.1')
