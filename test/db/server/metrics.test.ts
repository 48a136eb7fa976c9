// @module-tag both

import { expect, test } from 'vitest'
import { issueToken } from '../../../src/features/access/tokens.ts'
import type { OpenDatabase } from '../../../src/platform/db/open.ts'
import { buildAdmin } from '../../../src/server/admin-port.ts'
import { openMetrics } from '../../../src/server/telemetry/metrics.ts'
import { samplesOf } from '../../support/metrics.ts'
import { emptyDatabase, migratedDatabase, newOwner, openPlace } from '../../support/process.ts'
import { clock, NOW } from '../../support/server.ts'

const SLOW = { timeout: 300_000 }
const MODEL = 'a model'
const earlier = (seconds: number) => new Date(Date.parse(NOW) - seconds * 1_000)

function adminOf(database: Pick<OpenDatabase, 'pool' | 'load'>) {
  const metrics = openMetrics({ database, clock, embeddingModel: MODEL, queues: ['process-session'] })
  const admin = buildAdmin({
    names: ['admin.example.com'],
    isServing: () => true,
    ping: async () => {},
    metrics: metrics.text,
    adminApi: () => undefined
  })
  const scrape = async () => {
    const { statusCode, headers, body } = await admin.inject('/metrics')
    return { status: statusCode, cache: headers['cache-control'], samples: samplesOf(body), body }
  }
  return { metrics, scrape }
}

test('metrics count waiting and sent deliveries, and the age of the oldest due one without a pause', SLOW, async () => {
  const place = await emptyDatabase()
  const owner = await newOwner(place)
  const database = await openPlace(place)
  const { pool } = database
  await hook('due', { nextDue: earlier(90), pausedUntil: earlier(60) })
  await hook('paused', { nextDue: earlier(500), pausedUntil: earlier(-60) })
  await hook('off', { nextDue: earlier(900), active: false })
  await hook('later', { nextDue: earlier(-5) })
  await deliver('due', 1, null)
  await deliver('due', 2, null)
  await deliver('paused', 1, 'a claim')

  const { status, cache, samples } = await adminOf(database).scrape()
  expect({ status, cache }).toEqual({ status: 200, cache: 'private, no-store' })
  expect(samples.get('parlance_webhook_deliveries{state="waiting"}')).toBe(2)
  expect(samples.get('parlance_webhook_deliveries{state="sending"}')).toBe(1)
  expect(samples.get('parlance_webhook_oldest_due_seconds')).toBe(60)

  async function hook(
    id: string,
    { nextDue, pausedUntil, active = true }: { nextDue: Date; pausedUntil?: Date; active?: boolean }
  ) {
    await pool.query(
      `insert into webhooks (user_id, webhook_id, url, events, secret, active, failure_count, created_at, updated_at)
       values ($1, $2, 'https://receiver.example', '{}', 'sealed', $3, 0, $4, $4)`,
      [owner.id, id, active, NOW]
    )
    await pool.query(
      `insert into webhook_queue (user_id, webhook_id, next_due, paused_until) values ($1, $2, $3, $4)
       on conflict (user_id, webhook_id) do update set next_due = excluded.next_due, paused_until = excluded.paused_until`,
      [owner.id, id, nextDue, pausedUntil ?? null]
    )
  }
  async function deliver(id: string, seq: number, claim: string | null) {
    await pool.query(
      `insert into webhook_deliveries (user_id, webhook_id, seq, event_id, type, attempt, attempts_before, next_at, claim_id)
       values ($1, $2, $3, 'evt', 'session.completed', 0, 0, $4, $5)`,
      [owner.id, id, seq, NOW, claim]
    )
  }
})

test(
  'metrics show the lag of the slowest reader; a cursor above the newest event counts as the beginning',
  SLOW,
  async () => {
    const place = await emptyDatabase()
    const owner = await newOwner(place)
    const database = await openPlace(place)
    const lagAt = async (seq: number) => {
      await database.pool.query(
        `insert into token_cursors (user_id, token_id, seq) values ($1, $2, $3) on conflict (user_id, token_id) do update set seq = excluded.seq`,
        [owner.id, owner.tokenId, seq]
      )
      return (await adminOf(database).scrape()).samples.get('parlance_feed_lag_events')
    }
    await database.pool.query('update user_counters set last_seq = 7 where user_id = $1', [owner.id])
    expect([await lagAt(3), await lagAt(7), await lagAt(99_999)]).toEqual([4, 0, 7])
  }
)

test('metrics count sessions without embeddings of the current model', SLOW, async () => {
  const place = await emptyDatabase()
  const owner = await newOwner(place)
  const database = await openPlace(place)
  for (const session of ['old', 'new', 'bare']) {
    await database.pool.query(
      `insert into sessions (user_id, session_id, state, title, sort_at, duration_seconds, type, created_at, updated_at)
       values ($1, $2, 'completed', '', now() + random() * interval '1 day', 1, 'meeting', now(), now())`,
      [owner.id, session]
    )
  }
  for (const [session, model] of [
    ['old', 'another model'],
    ['new', MODEL]
  ]) {
    for (const ordinal of [0, 1]) {
      await database.pool.query(
        'insert into passages (user_id, session_id, ordinal, first_segment, last_segment, text) values ($1, $2, $3, 0, 0, $4)',
        [owner.id, session, ordinal, 'said']
      )
      await database.pool.query(
        'insert into embeddings (user_id, model, session_id, ordinal, dimension, vector) values ($1, $2, $3, $4, 1, $5)',
        [owner.id, model, session, ordinal, '[1]']
      )
    }
  }
  const { samples } = await adminOf(database).scrape()
  expect(samples.get('parlance_embedding_backlog_sessions')).toBe(1)
})

test('a figure that cannot be read is left out and counted, and the others are shown', SLOW, async () => {
  const place = await migratedDatabase()
  const database = await openPlace(place)
  // Before the queues' tables are made, as beside a server that has only begun to start.
  const { scrape } = adminOf(database)
  await scrape()
  // What failed is left alone for as long as what did not.
  const { samples } = await scrape()
  expect(samples.get('parlance_database_up')).toBe(1)
  expect(samples.get('parlance_database_readings_failed_total')).toBe(1)
  expect(samples.get('parlance_feed_lag_events')).toBe(0)
  expect([...samples.keys()].filter(name => name.startsWith('parlance_jobs'))).toEqual([])
})

test('the database is queried again only after some seconds, however often a scrape comes', SLOW, async () => {
  const place = await emptyDatabase()
  const owner = await newOwner(place)
  const database = await openPlace(place)
  const { scrape } = adminOf(database)
  const first = await Promise.all([scrape(), scrape()])
  await issueToken(database.db, owner.id, 'reader', ['sessions:read'], clock.now())
  await database.pool.query(
    'insert into user_counters (user_id, last_seq) values ($1, 8) on conflict (user_id) do update set last_seq = 8',
    [owner.id]
  )
  await database.pool.query('insert into token_cursors (user_id, token_id, seq) values ($1, $2, 1)', [
    owner.id,
    owner.tokenId
  ])
  const lags = [...first, await scrape()].map(({ samples }) => samples.get('parlance_feed_lag_events'))
  expect(lags).toEqual([0, 0, 0])
  expect((await adminOf(database).scrape()).samples.get('parlance_feed_lag_events')).toBe(7)
})

test('each server process counts for itself', SLOW, async () => {
  const database = await openPlace(await emptyDatabase())
  const [one, other] = [adminOf(database), adminOf(database)]
  one.metrics.attempted('timeout')
  one.metrics.sessionFailed()
  one.metrics.meter.began()
  one.metrics.meter.refused('day')
  const told = async ({ scrape }: typeof one) => {
    const { samples } = await scrape()
    return [
      samples.get('parlance_webhook_attempts_total{result="timeout"}'),
      samples.get('parlance_sessions_failed_total'),
      samples.get('parlance_http_requests_in_flight'),
      samples.get('parlance_rate_limit_refusals_total{limit="day"}')
    ]
  }
  expect(await told(one)).toEqual([1, 1, 1, 1])
  expect(await told(other)).toEqual([undefined, 0, 0, 0])
})
