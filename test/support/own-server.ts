import { openAdmissions } from '../../src/features/access/admission.ts'
import { migratedDatabase, openPlace } from './process.ts'
import { buildTestApp, clock } from './server.ts'

const RATE_LIMITS = { perMinute: 100_000, perDay: 1_000_000 }

/**
 * Returns an application, and what it has instead of the services of other tests, on a database of the test's own. On PostgreSQL the files of tests share one database, so what removes the old rows of all users,
 * by a clock that was moved ahead, would take those that other files are about to read.
 */
export async function ownServer(overrides: Parameters<typeof buildTestApp>[0] = {}) {
  const { db } = await openPlace(await migratedDatabase(), { poolSize: 4 })
  const admissions = openAdmissions(db, overrides.clock ?? clock, RATE_LIMITS)
  const services = { db, slow: db, replica: db, admissions, ...overrides }
  return { db, app: await buildTestApp(services), services }
}
