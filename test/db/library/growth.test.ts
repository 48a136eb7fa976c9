// @module-tag both

import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DISJOINT, OTHERS, READS, ROUTES } from '../../../bench/growth-reads.ts'
import { addOwner, asksOf, NEWEST, sharesOf } from '../../../bench/growth-seed.ts'
import { openAdmissions } from '../../../src/features/access/admission.ts'
import { type Expired, findExpired } from '../../../src/features/deletions/retention.ts'
import { buildApp } from '../../../src/interfaces/http/app.ts'
import type { Database } from '../../../src/platform/db/open.ts'
import { migratedDatabase, openPlace } from '../../support/process.ts'
import { countRowsRead, recordReads } from '../../support/rows-read.ts'
import { clock, testServices } from '../../support/server.ts'

/** The folder, the person and the tags of the filters have a quarter of the sessions and more. There are a tenth as many people. */
const SIZE = 8_000
/** A page of 20 to 50 rows, with lookups for each. */
const MAX_ROWS = 500
/** Filters that are combined count up to 500 members of each, items of a folder up to 5,000; periods have days, and shared sessions a limit. */
const COUNTS = /^(tags|folder and|person and)|items of a (large )?folder|^stats|^shared sessions$/
const MAX_COUNTED = 3_600
/** Members of two disjoint filters are read once each, without their sessions. */
const MAX_MEMBERS = SIZE

/** The sessions of the test that are older than their retention. */
const OLD = 20

const RATE_LIMITS = { perMinute: 100_000, perDay: 1_000_000 }

let client: pg.PoolClient
let database: Database
let app: Awaited<ReturnType<typeof buildApp>>
let userId: string
let place: { at: string; size: number; sessionId: string; shared: string }
let authorization: string

const ends: (() => Promise<void>)[] = []
const atEnd = (end: () => Promise<void>) => void ends.unshift(end)

// In a database of its own: plans follow the statistics, and other tests add owners to the shared one meanwhile.
beforeAll(async () => {
  const { db, pool } = await openPlace(await migratedDatabase(atEnd), { finally: atEnd })
  client = await pool.connect()
  database = db
  app = await buildApp(await testServices({ db, admissions: openAdmissions(db, clock, RATE_LIMITS) }))
  await addOwner(client as unknown as pg.Client, SIZE)
  await client.query('reset session_replication_role; reset synchronous_commit; drop table pieces, ranked; analyze')
  const askOf = async (kind: string) => (await client.query('select * from bench.asks where kind = $1', [kind])).rows[0]
  const [ask, share] = [await askOf(asksOf(SIZE)), await askOf(sharesOf(SIZE))]
  const shared = `${share.user_id}/${share.session_id}`
  userId = ask.user_id
  place = { at: new Date(NEWEST).toISOString(), size: SIZE, sessionId: ask.session_id, shared }
  authorization = `Bearer ${ask.token}`
})

afterAll(async () => {
  client.release()
  await app.close()
  for (const end of ends) await end()
})

const READ = Object.entries({ ...READS, ...ROUTES, ...DISJOINT, ...OTHERS })

test.for(READ)('of a large library, “%s” reads few rows, whatever the plan', async ([name, toPath]) => {
  const reads = await recordReads(userId, async () => {
    const { statusCode } = await app.inject({ method: 'GET', url: `/v1${toPath(place)}`, headers: { authorization } })
    expect(statusCode).toBe(200)
  })
  expect(reads.length > 0).toBe(name !== 'OpenAPI document')
  const most = name in DISJOINT ? MAX_MEMBERS : COUNTS.test(name) ? MAX_COUNTED : MAX_ROWS
  for (const plan of ['custom', 'generic'] as const) {
    let [rows, sessions] = [0, 0]
    for (const read of reads) {
      const byTable = await countRowsRead(client, read, plan)
      for (const count of byTable.values()) rows += count
      sessions += byTable.get('sessions') ?? 0
    }
    expect(rows, `rows read with a ${plan} plan`).toBeLessThanOrEqual(most)
    expect(sessions, `sessions read with a ${plan} plan`).toBeLessThanOrEqual(MAX_ROWS)
  }
})

test.for([
  ['sessions', { audio_days: null, session_days: 30 }, OLD],
  ['recordings', { audio_days: 30, session_days: null }, 0]
] as const)(
  'of a large library, retention reads the %s that it deletes, and few others',
  async ([what, retention, old]) => {
    const age = "created_at = now() - interval '40 days'"
    await client.query('update sessions set created_at = now(), audio_deleted_at = null where user_id = $1', [userId])
    await client.query(
      what === 'sessions'
        ? `update sessions set ${age} where user_id = $1 and session_id in (
          select session_id from sessions where user_id = $1 and state = 'completed' limit ${OLD})`
        : `update sessions set ${age}, audio_deleted_at = now() where user_id = $1`,
      [userId]
    )
    await client.query('vacuum analyze sessions')
    const found: Expired[] = []
    const finding = { db: database, clock: { now: () => new Date() }, retention }
    const reads = await recordReads(userId, async () => {
      for await (const batch of findExpired(finding)) found.push(...batch)
    })
    expect(found.filter(({ user }) => user === userId)).toHaveLength(old)
    for (const plan of ['custom', 'generic'] as const) {
      let rows = 0
      for (const read of reads) for (const count of (await countRowsRead(client, read, plan)).values()) rows += count
      expect(rows, `rows read with a ${plan} plan`).toBeLessThanOrEqual(MAX_ROWS)
    }
  }
)
