// @module-tag postgres
import { expect, onTestFinished, test } from 'vitest'
import { newId } from '../../src/platform/core/ids.ts'
import { startAiServer } from '../support/ai-server.ts'
import { answersOf, samplesOf } from '../support/metrics.ts'
import {
  fileIn,
  migratedDatabase,
  newOwner,
  onPostgres,
  openPlace,
  runJson,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'

const SLOW = { timeout: 300_000 }
const QUEUES = ['process-session', 'retention', 'purge-media']

async function scrape(server: { adminUrl: string }) {
  const reply = await fetch(`${server.adminUrl}/metrics`, { headers: { connection: 'close' } })
  return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text() }
}

test('metrics count requests by route template and class of status, and unknown paths together', SLOW, async () => {
  const place = await migratedDatabase()
  const server = await serve(place)
  const owner = await newOwner(place)
  await server.get('/v1/account', owner.token)
  await server.get(`/v1/sessions/${newId('ses')}?secret=word`, owner.token)
  await server.get(`/v1/sessions/${newId('ses')}`, owner.token)
  await server.get('/v1/account')
  await server.get('/wp-login.php', owner.token)
  await server.get('/v1/another', owner.token)

  const { status, type, text } = await scrape(server)
  expect({ status, type }).toEqual({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' })
  expect(answersOf(text)).toEqual({
    '{method="GET",route="/v1/account",status="2xx"}': 1,
    '{method="GET",route="/v1/account",status="4xx"}': 1,
    '{method="GET",route="/v1/sessions/:id",status="4xx"}': 2,
    '{method="any",route="unknown",status="4xx"}': 2
  })
  expect(text).not.toMatch(/ses_|usr_|tok_|secret|wp-login|another/)
  expect(text).not.toContain(owner.token)
})

test('metrics count the tokens of summaries, as the provider counts them', SLOW, async () => {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  const place = await migratedDatabase()
  const settings = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url, EMBEDDING_MODEL: 'bundled' }
  const server = await serve({ ...place, environment: { ...place.environment, ...settings } })
  const owner = await newOwner(place)
  const tokens = async () => {
    const samples = samplesOf((await scrape(server)).text)
    return ['input', 'output'].map(direction => samples.get(`parlance_summary_tokens_total{direction="${direction}"}`))
  }
  expect(await tokens()).toEqual([0, 0])
  const form = new FormData()
  form.append('file', new File(['Ada: I will send the offer.\n'], 'talk.txt', { type: 'text/plain' }))
  const headers = { authorization: `Bearer ${owner.token}` }
  const { status } = await fetch(`${server.url}/v1/sessions/upload`, { method: 'POST', headers, body: form })
  expect(status).toBe(202)
  await until('the tokens are counted', async () => (await tokens())[0] === 100)
  expect(await tokens()).toEqual([100, 20])
})

test('metrics show process, pool and queues', SLOW, async () => {
  const place = await migratedDatabase()
  const server = await serve(place)
  const owner = await newOwner(place)
  const file = fileIn(temporaryFolder(), 'a.vtt', 'WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ada>Hello.\n')
  await runJson(place, 'import', '--user', owner.id, '--wait', file)
  await server.get('/v1/events', owner.token)

  const said = async (names: string[]) => {
    const samples = samplesOf((await scrape(server)).text)
    return Object.fromEntries(names.map(name => [name, samples.get(name)]))
  }
  const still = {
    parlance_database_up: 1,
    'parlance_database_pool_waiting{pool="requests"}': 0,
    parlance_database_statements_in_flight: 0,
    parlance_http_requests_in_flight: 0,
    parlance_feed_lag_events: 0,
    'parlance_webhook_deliveries{state="waiting"}': 0,
    'parlance_webhook_deliveries{state="sending"}': 0,
    parlance_webhook_oldest_due_seconds: 0,
    parlance_embedding_backlog_sessions: 0,
    'parlance_webhook_attempts_total{result="delivered"}': 0,
    'parlance_rate_limit_refusals_total{limit="minute"}': 0,
    parlance_sessions_failed_total: 0,
    ...Object.fromEntries(QUEUES.map(queue => [`parlance_jobs{queue="${queue}",state="failed"}`, 0]))
  }
  // Statements of background work, such as the reading of the clock, are in flight for a moment.
  await expect.poll(() => said(Object.keys(still)), { timeout: 120_000, interval: 200 }).toEqual(still)
  const some = ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds', 'nodejs_heap_size_used_bytes']
  expect(Object.values(await said(some)).every(value => Number(value) > 0)).toBe(true)
})

test('metrics show the lag of the slowest reader of the feed, and the limit of each refusal', SLOW, async () => {
  const place = await migratedDatabase()
  const server = await serve({ environment: { ...place.environment, RATE_LIMIT_PER_MINUTE: '2' } })
  const [owner, other, revoked] = [await newOwner(place), await newOwner(place), await newOwner(place)]
  const { pool, close } = await openPlace(place)
  await pool.query('update user_counters set last_seq = 12 where user_id = $1', [owner.id])
  const cursor = 'insert into token_cursors (user_id, token_id, seq) values ($1, $2, $3)'
  await pool.query(
    'insert into user_counters (user_id, last_seq) values ($1, 12), ($2, 5), ($3, 100) on conflict (user_id) do update set last_seq = excluded.last_seq',
    [owner.id, other.id, revoked.id]
  )
  await pool.query(cursor, [owner.id, owner.tokenId, 3])
  await pool.query(cursor, [other.id, other.tokenId, 5])
  await pool.query(cursor, [revoked.id, revoked.tokenId, 1])
  await pool.query('update tokens set revoked_at = now() where token_id = $1', [revoked.tokenId])
  await close()
  for (const token of [owner.token, undefined, undefined]) {
    await until('a request is refused', async () => (await server.get('/v1/account', token)).status === 429)
  }

  const samples = samplesOf((await scrape(server)).text)
  expect(samples.get('parlance_feed_lag_events')).toBe(9)
  expect(samples.get('parlance_rate_limit_refusals_total{limit="minute"}')).toBe(1)
  expect(samples.get('parlance_rate_limit_refusals_total{limit="address"}')).toBe(2)
})

test.runIf(onPostgres)(
  'metrics show the process while the database is away, and everything when it is back',
  SLOW,
  async () => {
    const place = await migratedDatabase()
    const server = await serve(place)
    const owner = await newOwner(place)
    await server.get('/v1/account', owner.token)
    const name = new URL(place.url!).pathname.slice(1)
    const { pool } = await openPlace({
      ...place,
      url: Object.assign(new URL(place.url!), { pathname: '/postgres' }).href
    })
    await pool.query(`alter database ${name} with allow_connections false`)
    await pool.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', [name])

    const away = samplesOf((await scrape(server)).text)
    expect(away.get('parlance_database_up')).toBe(0)
    expect(away.has('parlance_feed_lag_events')).toBe(false)
    expect(away.has('parlance_webhook_deliveries{state="waiting"}')).toBe(false)
    expect(
      away.get('parlance_http_request_duration_seconds_count{method="GET",route="/v1/account",status="2xx"}')
    ).toBe(1)

    await pool.query(`alter database ${name} with allow_connections true`)
    await until(
      'it is there again',
      async () => samplesOf((await scrape(server)).text).get('parlance_database_up') === 1
    )
    expect(samplesOf((await scrape(server)).text).get('parlance_feed_lag_events')).toBe(0)
  }
)
