import type pg from 'pg'
import { hashToken, makeToken } from '../src/accounts/token.ts'
import { newId } from '../src/core/ids.ts'
import { migrateDatabase } from '../src/db/migrate.ts'
import { databaseUrl, recreateDatabase, withClient } from './database.ts'
import { percentile } from './load.ts'
import type { Plan } from './measure.ts'
import { startHungReceiver, startReceiver } from './receiver.ts'
import { type Running, startPeer, startProduct } from './server.ts'
import { rounded } from './table.ts'

const DATABASE = 'parlance_bench_deliveries'
/** One each: workers of one database hear each other, whatever their schemas. */
const QUEUES = { 'graphile-worker': 'parlance_bench_jobs', 'graphile-worker, batched': 'parlance_bench_jobs_batched' }
const OWNERS = 50
/** Of one round; spread evenly over the owners' endpoints. */
const BACKLOG = 5_000
const EVENTS_PER_SECOND = 100
/** How long a round may take at most. */
const PATIENCE_MS = 120_000

/** What the other queue is given for a delivery. */
export interface Job {
  url: string
  id: string
  body: string
  secret: string
}

interface Owner {
  userId: string
  sessionId: string
  token: string
  webhookId: string
}

/** A backlog sent by each in turns, then the time from a change to its delivery, alone and beside endpoints that are ill. */
export async function measureDeliveries({ rounds, seconds }: Plan) {
  const url = databaseUrl(DATABASE)
  await recreateDatabase(DATABASE)
  await migrateDatabase({ connectionString: url })
  const stops: (() => unknown)[] = []
  let arrived = (_: string) => {}
  const receiver = await startReceiver((_, body) => arrived(body))
  try {
    stops.push(receiver.close)
    const where = { DATABASE_URL: url, WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' }
    const server = await startProduct(where)
    stops.push(server.stop)
    for (const [name, database] of Object.entries(QUEUES)) {
      await recreateDatabase(database)
      const settings = { BATCHED: name.endsWith('batched') ? 'yes' : 'no' }
      stops.push((await startPeer('graphile', databaseUrl(database), settings)).stop)
    }
    return await withClient(url, async client => {
      const owners = await addOwners(client, server, `${receiver.url}/hook`)
      const listen = (next: (body: string) => void) => {
        arrived = next
      }
      const rates = await rateRounds(client, owners, receiver.url, rounds, listen)
      const delays = await delayRounds(server, owners, { rounds, seconds }, listen)
      return { rates, delays }
    })
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

type Listen = (next: (body: string) => void) => void

async function addOwners(client: pg.Client, server: Running, hook: string): Promise<Owner[]> {
  const owners: Owner[] = []
  for (let n = 0; n < OWNERS; n++) {
    const [userId, sessionId, tokenId, token] = [newId('usr'), newId('ses'), newId('tok'), makeToken()]
    await client.query(`insert into users (user_id, name, time_zone, created_at) values ($1, 'Owner', 'UTC', now())`, [userId])
    await client.query(
      `insert into sessions (user_id, session_id, state, title, sort_at, duration_seconds, type, summary, created_at, updated_at)
       values ($1, $2, 'completed', 'Weekly review', now(), 1800, 'meeting', repeat('What was decided, and by whom. ', 40), now(), now())`,
      [userId, sessionId]
    )
    await client.query(
      `insert into tokens (user_id, token_id, name, scopes, hint, created_at, expires_at)
       values ($1, $2, 'bench', '{sessions:read,sessions:write,webhooks:manage}', 'bench', now(), now() + interval '1 year')`,
      [userId, tokenId]
    )
    await client.query('insert into token_owners (hash, user_id, token_id) values ($1, $2, $3)', [hashToken(token), userId, tokenId])
    const { id: webhookId } = await addHook(server, token, hook)
    owners.push({ userId, sessionId, token, webhookId })
  }
  return owners
}

async function addHook(server: Running, token: string, url: string): Promise<{ id: string }> {
  return await ask(server, token, 'POST', '/v1/webhooks', { url, events: ['session.updated'] })
}

async function ask(server: Running, token: string, method: string, path: string, body: object) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} answers with ${answer.status}: ${text}`)
  return JSON.parse(text)
}

/** Deliveries a second, from the first to the last of a backlog of the same bodies, in turns. */
async function rateRounds(client: pg.Client, owners: Owner[], url: string, rounds: number, listen: Listen) {
  const body = JSON.stringify({ event: 'session.updated', data: { session: { summary: 'What was decided, and by whom. '.repeat(84) } } })
  const ways: Record<string, () => Promise<void>> = { product: () => queueEvents(client, owners, body) }
  for (const [name, database] of Object.entries(QUEUES)) {
    ways[name] = () => withClient(databaseUrl(database), jobs => queueJobs(jobs, url, body))
  }
  const measured = Object.keys(ways).map((): number[] => [])
  // The first round warms up and is not counted.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, queue] of Object.values(ways).entries()) {
      const times: number[] = []
      listen(() => void times.push(performance.now()))
      await queue()
      await until(() => times.length >= BACKLOG)
      // What is noted behind the last delivery is not the next one's burden.
      await new Promise(done => setTimeout(done, 1_000))
      if (round > 0) measured[index]?.push((BACKLOG - 1) / (((times[BACKLOG - 1] ?? 0) - (times[0] ?? 0)) / 1_000))
    }
  }
  const medians = measured.map(rates =>
    percentile(
      rates.toSorted((a, b) => a - b),
      0.5
    )
  )
  return Object.keys(ways).map((sender, index) => ({
    sender,
    'KB each': rounded(body.length / 1_000, 1),
    'a second': rounded(medians[index] ?? 0),
    'product of it': rounded((medians[0] ?? 0) / (medians[index] ?? 1), 2)
  }))
}

async function queueEvents(client: pg.Client, owners: Owner[], body: string) {
  await client.query(
    `with added as (
      insert into events (user_id, seq, event_id, type, session_id, created_at, body)
      select user_id, top + n, 'evt_' || md5(user_id || (top + n)), 'session.updated', session_id, now(), $4
      from unnest($1::text[], $2::text[]) as o(user_id, session_id), generate_series(1, $5::int) n,
        lateral (select coalesce(max(seq), 0) as top from events e where e.user_id = o.user_id) t
      returning user_id, seq, event_id
    ), due as (
      insert into webhook_queue (user_id, webhook_id, next_due) select *, now() from unnest($1::text[], $3::text[])
      on conflict (user_id, webhook_id) do update set next_due = excluded.next_due
    )
    insert into webhook_deliveries (user_id, webhook_id, seq, event_id, type, attempt, attempts_before, next_at)
    select added.user_id, h.webhook_id, seq, event_id, 'session.updated', 0, 0, now()
    from added join unnest($1::text[], $3::text[]) as h(user_id, webhook_id) on h.user_id = added.user_id`,
    [owners.map(o => o.userId), owners.map(o => o.sessionId), owners.map(o => o.webhookId), body, BACKLOG / owners.length]
  )
  // The counter goes on where these have ended, for the changes that follow.
  await client.query(`insert into user_counters (user_id, last_seq) select user_id, max(seq) from events group by user_id
    on conflict (user_id) do update set last_seq = excluded.last_seq`)
}

async function queueJobs(client: pg.Client, url: string, body: string) {
  const job: Omit<Job, 'id'> = { url: `${url}/hook`, body, secret: 'whsec_c2VjcmV0IG9mIHRoZSBiZW5jaG1hcms=' }
  await client.query(
    `select count(*) from graphile_worker.add_jobs((
      select array_agg(('deliver', ($1::jsonb || jsonb_build_object('id', md5(n::text)))::json, null, null, null, null, null, null)::graphile_worker.job_spec)
      from generate_series(1, $2::int) n))`,
    [JSON.stringify(job), BACKLOG]
  )
}

/** Milliseconds from sending a change to its whole delivery: more than from its commit to the first byte. */
async function delayRounds(server: Running, owners: Owner[], { rounds, seconds }: Plan, listen: Listen) {
  const hung = await startHungReceiver()
  const [first, second] = owners
  if (!first || !second) throw new Error('There are too few owners')
  const ill = [
    { owner: first, ...(await addHook(server, first.token, 'http://127.0.0.1:1/dead')) },
    { owner: second, ...(await addHook(server, second.token, `${hung.url}/hung`)) }
  ]
  const delays: Record<'alone' | 'beside ill ones', number[]> = { alone: [], 'beside ill ones': [] }
  try {
    for (let round = 0; round < rounds; round++) {
      for (const way of ['alone', 'beside ill ones'] as const) {
        // Made active, an endpoint's breaker is closed again.
        for (const { owner, id } of ill) await ask(server, owner.token, 'PATCH', `/v1/webhooks/${id}`, { active: way !== 'alone' })
        delays[way].push(...(await delayRound(server, owners, seconds, listen)))
      }
    }
  } finally {
    hung.close()
  }
  return Object.entries(delays).map(([endpoints, times]) => {
    const sorted = times.sort((a, b) => a - b)
    return {
      endpoints,
      deliveries: sorted.length,
      'p50 ms': rounded(percentile(sorted, 0.5), 1),
      'p99 ms': rounded(percentile(sorted, 0.99), 1),
      'worst ms': rounded(sorted.at(-1) ?? 0, 1)
    }
  })
}

async function delayRound(server: Running, owners: Owner[], seconds: number, listen: Listen) {
  const times: number[] = []
  listen(body => {
    const sentAt = /"title":"at (\d+\.\d+)"/.exec(body)?.[1]
    if (sentAt !== undefined) times.push(performance.now() - Number(sentAt))
  })
  const changes: Promise<unknown>[] = []
  const startedAt = performance.now()
  for (let n = 0; n < seconds * EVENTS_PER_SECOND; n++) {
    await new Promise(done => setTimeout(done, Math.max(0, startedAt + (n * 1_000) / EVENTS_PER_SECOND - performance.now())))
    // The owners of the ill endpoints make as many changes as the others, and have a sound one too.
    const { token, sessionId } = owners[n % owners.length]!
    const title = `at ${performance.now().toFixed(3)}`
    changes.push(ask(server, token, 'PATCH', `/v1/sessions/${sessionId}`, { title }))
  }
  await Promise.all(changes)
  await until(() => times.length >= changes.length)
  return times
}

async function until(condition: () => boolean) {
  const startedAt = performance.now()
  while (!condition()) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error('Not everything was delivered within two minutes')
    await new Promise(done => setTimeout(done, 20))
  }
}
