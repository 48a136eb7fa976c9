import { openAdmissions } from '../../src/features/access/admission.ts'
import { emptyDatabase, openPlace } from './process.ts'
import { buildTestApp, clock } from './server.ts'

const RATE_LIMITS = { perMinute: 100_000, perDay: 1_000_000 }

/**
 * Returns an application, and what it has instead of the services of other tests, on the database of this worker that each test finds empty. What removes
 * the old rows of all users, by a clock that was moved ahead, would take those of other tests from the database that they share.
 */
export async function ownServer(overrides: Parameters<typeof buildTestApp>[0] = {}) {
  const { db } = await openPlace(await emptyDatabase(), { poolSize: 4 })
  const admissions = openAdmissions(db, overrides.clock ?? clock, RATE_LIMITS)
  const services = { db, slow: db, replica: db, admissions, ...overrides }
  return { db, app: await buildTestApp(services), services }
}
