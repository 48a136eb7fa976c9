import { removeOldKeys } from '../features/access/idempotency-keys.ts'
import { removeOldTokens } from '../features/access/tokens.ts'
import { deleteExpired, type Expired } from '../features/deletions/retention.ts'
import { removeUnsharedGuests } from '../features/deletions/unshared-guests.ts'
import { removeOldEvents, removeOldTexts, removeOldTombstones } from '../features/events/retention.ts'
import { removeUnusedClients } from '../features/oauth/clients.ts'
import { removeOldGrants } from '../features/oauth/grants.ts'
import type { Services } from '../features/services.ts'
import { removeOldShares } from '../features/sharing/retention.ts'
import { removeOldConsoleSessions } from '../features/sign-in/console-sessions.ts'
import { removeOldSignInLinks } from '../features/sign-in/sign-in-links.ts'
import { removeOldAttempts } from '../features/webhooks/delivery/retention.ts'
import { sql } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'

const DAY_MS = 86_400_000

/** A step beyond the time that this process has seen pass. Smaller ones are corrections, or servers that were off. */
const MAX_STEP_MS = DAY_MS
/** The time for which the clock must not step before anything is deleted. */
const STEADY_MS = DAY_MS

interface Retention {
  /** The time that this process has run, by a clock that nobody sets. */
  uptimeMs: number
  /** Called when the clock has stepped, with the instant from which deletions go on. */
  onStep: (until: Date) => void
  /** Called with the sessions and recordings that were older than the retention of their users. */
  onDeleted: (deleted: readonly Expired[]) => void
  signal: AbortSignal
}

/** Deletes what is older than its retention period, unless the clock has stepped within a day: what it deletes is gone for good. */
export async function removeExpired(
  services: Pick<Services, 'db' | 'clock' | 'jobs' | 'retention'>,
  options: Retention
) {
  const { db, clock } = services
  const { signal } = options
  if (!(await isClockSteady(db, clock.now(), options))) return
  await removeOldEvents(db, clock.now(), signal)
  await removeOldTexts(db, signal)
  await removeOldAttempts(db, clock.now(), signal)
  await removeOldTombstones(db, clock.now(), signal)
  await removeOldShares(db, clock.now(), signal)
  await removeOldKeys(db, clock.now(), signal)
  await removeOldConsoleSessions(db, clock.now(), signal)
  await removeOldSignInLinks(db, clock.now())
  await removeOldGrants(db, clock.now(), signal)
  await removeUnusedClients(db, clock.now())
  await removeOldTokens(db, clock.now(), signal)
  await removeUnsharedGuests(services, signal)
  for await (const deleted of deleteExpired(services, signal)) options.onDeleted(deleted)
}

/**
 * Compares the clock with the last reading of any server. The newest row of a table would be no measure: rows that are stored while the clock is
 * wrong become the newest.
 */
async function isClockSteady(db: Db, now: Date, { uptimeMs, onStep }: Pick<Retention, 'uptimeMs' | 'onStep'>) {
  const mayPassMs = uptimeMs + MAX_STEP_MS
  const { rows } = await db.execute<{ since: string }>(sql`
    insert into clock_readings as last (name, read_at, steady_since) values ('retention', ${now}, 'epoch')
    on conflict (name) do update set read_at = excluded.read_at, steady_since = case
      when excluded.read_at - last.read_at between ${-MAX_STEP_MS} * interval '1 millisecond' and ${mayPassMs} * interval '1 millisecond'
      then last.steady_since else excluded.read_at end
    returning extract(epoch from steady_since)::float8 * 1000 as since`)
  const since = Number(rows[0]?.since)
  if (since === now.getTime()) onStep(new Date(since + STEADY_MS))
  return now.getTime() - since >= STEADY_MS
}
