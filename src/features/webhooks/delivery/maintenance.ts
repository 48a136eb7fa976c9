import type { Clock } from '../../../platform/core/clock.ts'
import type { Queryable } from '../../../platform/db/open.ts'
import { openRecurring } from '../../../platform/work/recurring.ts'
import { expireLeases, listExpiredOwners, listLateOwners, repairQueue } from './leases.ts'
import type { Owners } from './owners.ts'

const EVERY_MS = 15_000
/** Every fourth round repairs the queue. */
const REPAIR_EVERY = 4

interface MaintenanceOptions {
  db: Queryable
  clock: Clock
  groupsOf: Owners['groupsOf']
  /** Called when deliveries are due again. */
  onExpired: () => void
  onError: (error: Error) => void
}

/** Makes deliveries due again whose leases have ended, and repairs the queue, now and then until it is stopped. */
export function openMaintenance({ db, clock, groupsOf, onExpired, onError }: MaintenanceOptions) {
  let rounds = 0

  async function maintain() {
    const now = clock.now()
    for (const owners of await groupsOf(await listExpiredOwners(db, now)))
      if (await expireLeases(db, owners, now)) onExpired()
    if (rounds++ % REPAIR_EVERY > 0) return
    for (const owners of await groupsOf(await listLateOwners(db, now))) await repairQueue(db, owners, now)
  }

  return openRecurring(maintain, EVERY_MS, onError)
}
