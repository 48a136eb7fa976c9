// @module-tag both

import { expect, test } from 'vitest'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { removeExpired } from '../../../src/server/retention.ts'
import { migratedDatabase, newOwner, openPlace } from '../../support/process.ts'
import { NO_QUEUE, NO_RETENTION } from '../../support/server.ts'

const START = Date.parse('2026-03-02T10:00:00.000Z')
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const never = new AbortController().signal

test('a clock that jumps ahead deletes nothing, and after a day of steady time what is old is deleted again', async () => {
  const { tick, ages } = await newRetention([40, 5])
  // A server that runs.
  expect(await tick(0)).toEqual([])
  expect(await ages()).toEqual([5])
  await tick(6 * HOUR_MS)

  // 400 days ahead, for one run.
  expect(await tick(400 * DAY_MS)).toEqual([START + 401 * DAY_MS])
  expect(await ages()).toEqual([5])
  expect(await tick(12 * HOUR_MS)).toEqual([START + 36 * HOUR_MS])

  // Rows of a steady day stay, and the run after it deletes what has become too old.
  for (let hours = 18; hours <= 36; hours += 6) expect(await tick(hours * HOUR_MS)).toEqual([])
  expect(await ages()).toEqual([5])
  for (let days = 2; days <= 26; days++) expect(await tick(days * DAY_MS)).toEqual([])
  expect(await ages()).toEqual([])
})

test('a server that was off for a week waits for a day before it deletes', async () => {
  const { tick, ages } = await newRetention([25])
  await tick(0)
  expect(await tick(7 * DAY_MS, { uptimeMs: 1_000 })).toEqual([START + 8 * DAY_MS])
  expect(await ages()).toEqual([25])
  expect(await tick(8 * DAY_MS, { uptimeMs: DAY_MS })).toEqual([])
  expect(await ages()).toEqual([])
})

test('a week without a run, all of which this process has seen, is no step', async () => {
  const { tick, ages } = await newRetention([25])
  await tick(0)
  expect(await tick(7 * DAY_MS, { uptimeMs: 7 * DAY_MS })).toEqual([])
  expect(await ages()).toEqual([])
})

/** Events of those ages in days, and the runs of the retention job at times after the start. */
async function newRetention(days: number[]) {
  // It deletes everybody's rows.
  const place = await migratedDatabase()
  const { id } = await newOwner(place)
  const { db } = await openPlace(place)
  const times = days.map(age => new Date(START - age * DAY_MS).toISOString())
  await db.execute(sql`update user_counters set last_seq = ${days.length} where user_id = ${id}`)
  await db.execute(sql`
    insert into events (user_id, seq, event_id, type, session_id, created_at, body)
    select ${id}, turn, 'evt_' || ${id} || turn, 'session.updated', 'ses_none', at, '{}'
    from unnest(${sql.param(times)}::timestamptz[]) with ordinality as e(at, turn)`)

  /** Runs the job, and returns the instants until which it says that nothing expires. */
  async function tick(afterMs: number, { uptimeMs = 6 * HOUR_MS } = {}) {
    const held: number[] = []
    const clock = { now: () => new Date(START + afterMs) }
    const onStep = (until: Date) => held.push(until.getTime())
    const services = { db, clock, jobs: NO_QUEUE, retention: NO_RETENTION }
    await removeExpired(services, { uptimeMs, onStep, onDeleted: () => {}, signal: never })
    return held
  }

  /** The ages at the start of the events that are left. */
  async function ages() {
    const { rows } = await db.execute<{ at: string }>(
      sql`select extract(epoch from created_at)::float8 * 1000 as at from events where user_id = ${id} order by seq`
    )
    return rows.map(({ at }) => (START - Number(at)) / DAY_MS)
  }
  return { tick, ages }
}
