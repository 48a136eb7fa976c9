import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../../platform/core/api-error.ts'
import type { Db } from '../../../platform/db/open.ts'
import { endLease, renewLease, takeLease, wantLease } from './queries.ts'

/** A killed server holds its lease for as long. */
const LEASE_SECONDS = 5
const RENEW_MS = 1_000
/** A holder that cannot renew its lease stops before the lease ends. */
const LOST_AFTER_MS = 3_500
const WAIT_MS = 8_000
const ASK_MS = 200

/** The right of one request of all servers to write to an upload, until its disposal. */
export interface Lease extends AsyncDisposable {
  id: string
  /** Aborted when the lease is lost, or wanted by another request. */
  signal: AbortSignal
}

/**
 * Waits for the lease of an upload. A request whose client has gone may still hold it, so it is asked to end. Throws conflict if it doesn't.
 * `yields`: the holder ends when another request wants the lease.
 */
export async function leaseUpload(
  db: Db,
  userId: string,
  uploadId: string,
  { yields }: { yields: boolean }
): Promise<Lease> {
  const id = randomUUID()
  const until = performance.now() + WAIT_MS
  for (let asked = false; !(await takeLease(db, userId, uploadId, id, LEASE_SECONDS)); asked = true) {
    if (performance.now() > until)
      throw new ApiError('conflict', 'Another request is sending this upload; try again', BUSY)
    if (!asked) await wantLease(db, userId, uploadId)
    await sleep(ASK_MS)
  }
  return hold(db, userId, uploadId, id, yields)
}

const BUSY = { retryAfter: 1 }

function hold(db: Db, userId: string, uploadId: string, id: string, yields: boolean): Lease {
  const stopped = new AbortController()
  let renewedAt = performance.now()

  async function renew() {
    const began = performance.now()
    const isWanted = await renewLease(db, userId, uploadId, id, LEASE_SECONDS).catch(() => null)
    if (isWanted === undefined || (isWanted && yields)) stopped.abort()
    if (isWanted !== null) renewedAt = began
  }

  const renewal = setInterval(() => {
    if (performance.now() - renewedAt > LOST_AFTER_MS) stopped.abort()
    else void renew()
  }, RENEW_MS)
  return {
    id,
    signal: stopped.signal,
    async [Symbol.asyncDispose]() {
      clearInterval(renewal)
      // Without the database the lease ends by itself.
      await endLease(db, userId, uploadId, id).catch(() => {})
    }
  }
}
