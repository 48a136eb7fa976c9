// @module-tag both

import { expect, test } from 'vitest'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { openRetention } from '../../../src/server/remove-expired.ts'
import { migratedDatabase, newOwner, openPlace } from '../../support/process.ts'
import { NO_QUEUE, NO_RETENTION } from '../../support/server.ts'

const START = Date.parse('2026-03-02T10:00:00.000Z')
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const never = new AbortController().signal

test('a clock that jumps ahead deletes nothing in the next run, which says so', async () => {
  const { tick, ages } = await newRetention([40, 5])
  expect(await tick({ clockMs: 6 * HOUR_MS, uptimeMs: 6 * HOUR_MS })).toBe('deletes')
  expect(await ages()).toEqual([5])

  // 400 days ahead, for one run.
  expect(await tick({ clockMs: 400 * DAY_MS, uptimeMs: 12 * HOUR_MS })).toBe('reports a step')
  expect(await ages()).toEqual([5])
  expect(await tick({ clockMs: 18 * HOUR_MS, uptimeMs: 18 * HOUR_MS })).toBe('reports a step')
  expect(await tick({ clockMs: DAY_MS, uptimeMs: DAY_MS })).toBe('deletes')
  expect(await ages()).toEqual([5])
  expect(await tick({ clockMs: 26 * DAY_MS, uptimeMs: 26 * DAY_MS })).toBe('deletes')
  expect(await ages()).toEqual([])
})

test('a clock that stays ahead is believed at the run after that', async () => {
  const { tick, ages } = await newRetention([5])
  expect(await tick({ clockMs: 400 * DAY_MS, uptimeMs: 6 * HOUR_MS })).toBe('reports a step')
  expect(await ages()).toEqual([5])
  expect(await tick({ clockMs: 400 * DAY_MS + 6 * HOUR_MS, uptimeMs: 12 * HOUR_MS })).toBe('deletes')
  expect(await ages()).toEqual([])
})

test('a week without a run, all of which this process has seen, is no step, and neither is a correction of hours', async () => {
  const { tick, ages } = await newRetention([25])
  expect(await tick({ clockMs: 7 * DAY_MS, uptimeMs: 7 * DAY_MS })).toBe('deletes')
  expect(await ages()).toEqual([])
  expect(await tick({ clockMs: 7 * DAY_MS + 20 * HOUR_MS, uptimeMs: 7 * DAY_MS })).toBe('deletes')
})

/** Events of those ages in days, and the runs of a server's retention job. */
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

  let [clockMs, uptimeMs] = [0, 0]
  let stepped = false
  const services = { db, clock: { now: () => new Date(START + clockMs) }, jobs: NO_QUEUE, retention: NO_RETENTION }
  const removeOld = openRetention(services, {
    onDeleted: () => {},
    onStep: () => {
      stepped = true
    },
    uptimeMs: () => uptimeMs
  })

  /** Runs the job when clock and process show these times after the start. */
  async function tick(times: { clockMs: number; uptimeMs: number }) {
    stepped = false
    clockMs = times.clockMs
    uptimeMs = times.uptimeMs
    await removeOld(never)
    return stepped ? 'reports a step' : 'deletes'
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
