import type pg from 'pg'
import { hashToken, makeToken } from '../src/features/access/token-format.ts'
import { newId } from '../src/platform/core/ids.ts'
import { migrateDatabase } from '../src/platform/db/migrate.ts'
import { databaseUrl, recreateDatabase, withClient } from './database.ts'
import { percentile } from './load.ts'
import { type Plan, watchDatabase } from './measure.ts'
import { cpuOf } from './proc.ts'
import { startHungReceiver, startReceiver } from './receiver.ts'
import { type Figure, judged, type Outcome, ratioFigure } from './result.ts'
import { type Running, startPeer, startProduct } from './server.ts'
import { rounded } from './table.ts'

const DATABASE = 'parlance_bench_deliveries'
/** Each queue has a database of its own, because workers on one database notify each other in any schema. */
const QUEUES = {
  'graphile-worker': { database: 'parlance_bench_jobs', atLeast: 1 },
  'graphile-worker, batched': { database: 'parlance_bench_jobs_batched', atLeast: 0.6 }
}
const MAX_FIRST_BYTE_MS = 100
const OWNERS = 50
/** The deliveries of one round, spread evenly over the owners' endpoints. */
const BACKLOG = 5_000
const EVENTS_PER_SECOND = 100
/** The maximum time of a round. */
const ROUND_TIMEOUT_MS = 120_000

/** The payload of one delivery in the other queue. */
export interface Job {
  url: string
  id: string
  body: string
  secret: string
}

/** A server that sends a backlog. */
interface Sender {
  name: string
  server: Running
  url: string
  applicationName: string
  queue: (client: pg.Client) => Promise<void>
}

interface Owner {
  userId: string
  sessionId: string
  token: string
  webhookId: string
}

/** Measures backlogs of each sender in turns, then the time from a change to its delivery, alone and beside failing endpoints. */
export async function measureDeliveries({ rounds, seconds }: Plan): Promise<Outcome> {
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
    const body = JSON.stringify({
      event: 'session.updated',
      data: { session: { summary: 'What was decided, and by whom. '.repeat(84) } }
    })
    const others: Sender[] = []
    for (const [name, { database }] of Object.entries(QUEUES)) {
      await recreateDatabase(database)
      const settings = { BATCHED: name.endsWith('batched') ? 'yes' : 'no', PGAPPNAME: 'bench graphile' }
      const peer = await startPeer('graphile', databaseUrl(database), settings)
      stops.push(peer.stop)
      const queue = (client: pg.Client) => queueJobs(client, receiver.url, body)
      others.push({ name, server: peer, url: databaseUrl(database), applicationName: 'bench graphile', queue })
    }
    const owners = await withClient(url, client => addOwners(client, server, `${receiver.url}/hook`))
    const listen = (next: (body: string) => void) => {
      arrived = next
    }
    const queue = (client: pg.Client) => queueEvents(client, owners, body)
    const senders = [{ name: 'parlance', server, url, applicationName: 'parlance serve', queue }, ...others]
    const rates = await rateRounds(senders, rounds, listen)
    // Cleans up after the backlogs now, so that it does not happen while delays are measured.
    await withClient(url, async client => {
      for (const statement of ['vacuum (analyze)', 'checkpoint']) await client.query(statement)
    })
    const delays = await delayRounds(server, owners, { rounds, seconds }, listen)
    return { tables: [rates, delays], figures: [...rateFigures(rates), ...delays.map(delayFigure)] }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

type Listen = (next: (body: string) => void) => void

async function addOwners(client: pg.Client, server: Running, hook: string): Promise<Owner[]> {
  const owners: Owner[] = []
  for (let n = 0; n < OWNERS; n++) {
    const [userId, sessionId, tokenId, token] = [newId('usr'), newId('ses'), newId('tok'), makeToken()]
    await client.query(`insert into users (user_id, name, time_zone, created_at) values ($1, 'Owner', 'UTC', now())`, [
      userId
    ])
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
    await client.query('insert into token_owners (hash, user_id, token_id) values ($1, $2, $3)', [
      hashToken(token),
      userId,
      tokenId
    ])
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

/** Measures deliveries per second, from the first to the last of a backlog of the same bodies, in turns. */
async function rateRounds(senders: Sender[], rounds: number, listen: Listen) {
  const measured = senders.map((): { rate: number; cpu: number }[] => [])
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, sender] of senders.entries()) {
      const done = await rateRound(sender, listen)
      if (round > 0) measured[index]?.push(done)
    }
  }
  return senders.map(({ name }, index) => {
    const rounds = measured[index] ?? []
    const median = (value: 'rate' | 'cpu') =>
      percentile(
        rounds.map(round => round[value]).sort((a, b) => a - b),
        0.5
      )
    return { sender: name, 'a second': rounded(median('rate')), 'CPU µs each': rounded(median('cpu')) }
  })
}

async function rateRound({ server, url, applicationName, queue }: Sender, listen: Listen) {
  return await withClient(url, async watching => {
    const database = await watchDatabase(watching, applicationName)
    const before = cpuOf(server.pid) ?? Number.NaN
    const times: number[] = []
    listen(() => void times.push(performance.now()))
    await withClient(url, queue)
    await until(() => times.length >= BACKLOG)
    // Waits for the records of the last deliveries, so that they burden this sender and not the next one.
    await new Promise(done => setTimeout(done, 1_000))
    const spent = (cpuOf(server.pid) ?? Number.NaN) - before + (await database.stop()).backends
    return { rate: (BACKLOG - 1) / (((times[BACKLOG - 1] ?? 0) - (times[0] ?? 0)) / 1_000), cpu: spent / BACKLOG }
  })
}

type Rate = Awaited<ReturnType<typeof rateRounds>>[number]

function rateFigures([ours, ...others]: Rate[]): Figure[] {
  return Object.values(QUEUES).map(({ atLeast }, index) => {
    const [rate, other] = [ours, others[index]].map(sender => sender?.['a second'] ?? Number.NaN) as [number, number]
    return ratioFigure(
      'webhooks: signed deliveries',
      {
        measured: `${rate} a second, ${ours?.['CPU µs each']} µs each`,
        yardstick: `${others[index]?.sender}: ${other} a second, ${others[index]?.['CPU µs each']} µs each`,
        ratio: rate / other
      },
      { atLeast }
    )
  })
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
    [
      owners.map(o => o.userId),
      owners.map(o => o.sessionId),
      owners.map(o => o.webhookId),
      body,
      BACKLOG / owners.length
    ]
  )
  // Raises the counter to the last of these events, so that later changes continue from there.
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

/** Measures the milliseconds from sending a change to its complete delivery, which exceed those from its commit to the first byte. */
async function delayRounds(server: Running, owners: Owner[], { rounds, seconds }: Plan, listen: Listen) {
  const hung = await startHungReceiver()
  const [first, second] = owners
  if (!first || !second) throw new Error('There are too few owners')
  const failing = [
    { owner: first, ...(await addHook(server, first.token, 'http://127.0.0.1:1/dead')) },
    { owner: second, ...(await addHook(server, second.token, `${hung.url}/hung`)) }
  ]
  const delays: Record<'alone' | 'beside ill ones', number[]> = { alone: [], 'beside ill ones': [] }
  try {
    // The first round warms up: no change has been made yet, and no connection opened for one.
    for (let round = 0; round <= rounds; round++) {
      for (const way of ['alone', 'beside ill ones'] as const) {
        // Activating a webhook closes the breaker of its endpoint.
        for (const { owner, id } of failing)
          await ask(server, owner.token, 'PATCH', `/v1/webhooks/${id}`, { active: way !== 'alone' })
        const times = await delayRound(server, owners, seconds, listen)
        if (round > 0) delays[way].push(...times)
      }
    }
  } finally {
    hung.close()
  }
  return Object.entries(delays).map(([endpoints, times]) => {
    const sorted = times.sort((a, b) => a - b)
    const at = (share: number) => rounded(percentile(sorted, share), 1)
    return {
      endpoints,
      deliveries: sorted.length,
      'p50 ms': at(0.5),
      'p95 ms': at(0.95),
      'p99 ms': at(0.99),
      'worst ms': at(1)
    }
  })
}

function delayFigure(delay: Awaited<ReturnType<typeof delayRounds>>[number]): Figure {
  const p99 = delay['p99 ms']
  return {
    what: `webhooks: change to delivery at ${EVENTS_PER_SECOND} a second, ${delay.endpoints}`,
    measured: `p99 ${p99} ms`,
    'p50 / p95 ms': `${delay['p50 ms']} / ${delay['p95 ms']}`,
    yardstick: '',
    ratio: '',
    ...judged(p99, { atMost: MAX_FIRST_BYTE_MS, unit: ' ms' })
  }
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
    await new Promise(done =>
      setTimeout(done, Math.max(0, startedAt + (n * 1_000) / EVENTS_PER_SECOND - performance.now()))
    )
    // The owners of the failing endpoints make as many changes as the others, and also have a sound endpoint.
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
    if (performance.now() - startedAt > ROUND_TIMEOUT_MS)
      throw new Error('Not everything was delivered within two minutes')
    await new Promise(done => setTimeout(done, 20))
  }
}
