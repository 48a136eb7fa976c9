import { removeOldTokens } from '../features/access/tokens.ts'
import { removeOldRows } from '../features/deletions/old-rows.ts'
import { deleteExpired, type Expired } from '../features/deletions/retention.ts'
import { removeUnsharedGuests } from '../features/deletions/unshared-guests.ts'
import { removeOldEvents, removeOldTexts, removeOldTombstones } from '../features/events/remove-old.ts'
import { removeUnusedClients } from '../features/oauth/clients.ts'
import { removeOldGrants } from '../features/oauth/grants.ts'
import type { Services } from '../features/services.ts'
import { removeOldShares } from '../features/sharing/remove-old.ts'

/** A step of the clock beyond the time that this process has seen pass. Smaller ones are corrections. */
const MAX_STEP_MS = 86_400_000

/** Called with the sessions and recordings that were older than the retention of their users. */
type OnDeleted = (deleted: readonly Expired[]) => void

interface RetentionOptions {
  onDeleted: OnDeleted
  /** Called when the clock has stepped since the last run, so that this one deletes nothing. */
  onStep: () => void
  /** The time that this process has run, by a clock that nobody sets. */
  uptimeMs?: () => number
}

type RetentionServices = Pick<Services, 'db' | 'clock' | 'jobs' | 'retention'>

/**
 * Returns the recurring job of this process. It deletes nothing in a run before which the clock has stepped, because what it deletes is gone
 * for good: the operator has until the next run to set the clock right.
 */
export function openRetention(
  services: RetentionServices,
  { onStep, onDeleted, uptimeMs = () => performance.now() }: RetentionOptions
) {
  /** The time by which the clock is ahead of the process. */
  const offset = () => services.clock.now().getTime() - uptimeMs()
  let known = offset()
  return async (signal: AbortSignal) => {
    const stepMs = offset() - known
    known += stepMs
    if (Math.abs(stepMs) > MAX_STEP_MS) onStep()
    else await removeExpired(services, onDeleted, signal)
  }
}

/** Deletes what is older than its retention period. */
export async function removeExpired(services: RetentionServices, onDeleted: OnDeleted, signal: AbortSignal) {
  const { db, clock } = services
  await removeOldEvents(db, clock.now(), signal)
  await removeOldTexts(db, signal)
  await removeOldTombstones(db, clock.now(), signal)
  await removeOldShares(db, clock.now(), signal)
  await removeOldRows(db, clock.now(), signal)
  await removeOldGrants(db, clock.now(), signal)
  await removeUnusedClients(db, clock.now())
  await removeOldTokens(db, clock.now(), signal)
  await removeUnsharedGuests(services, signal)
  for await (const deleted of deleteExpired(services, signal)) onDeleted(deleted)
}
