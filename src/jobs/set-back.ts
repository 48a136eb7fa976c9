import type { OpenDatabase } from '../db/open.ts'

/**
 * Makes up for a clock of the database that was ahead and has been set back: what was put in the queue meanwhile, or waits for its
 * next attempt, would wait for as long as the step was, and so would looking after the queues. Jobs of before are not touched.
 */
export async function undoSetBack(pool: OpenDatabase['pool']) {
  await pool.query(JOBS)
  await pool.query(UNDER_WAY)
  await pool.query(QUEUES)
}

const AHEAD = "now() + interval '1 minute'"

const JOBS = `
  update pgboss.job set start_after = start_after - (greatest(created_on, started_on) - now()),
    created_on = least(created_on, now()), started_on = least(started_on, now())
  where state < 'active' and greatest(created_on, started_on) > ${AHEAD}`

/** With a sign of life of tomorrow, that of a killed process would seem alive until then. */
const UNDER_WAY = `
  update pgboss.job set heartbeat_on = now(), started_on = least(started_on, now())
  where state = 'active' and heartbeat_on > ${AHEAD}`

const QUEUES = `
  update pgboss.queue set monitor_claim_on = least(monitor_claim_on, now()), monitor_on = least(monitor_on, now()),
    maintain_on = least(maintain_on, now())
  where greatest(monitor_claim_on, monitor_on, maintain_on) > ${AHEAD}`
