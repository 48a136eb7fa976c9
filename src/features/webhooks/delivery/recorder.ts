import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../platform/core/clock.ts'
import type { Db, Queryable } from '../../../platform/db/open.ts'
import { type Claim, LEASE_MS } from './claim.ts'
import type { Attempt } from './judge-attempts.ts'
import { releaseClaims } from './leases.ts'
import type { Owners } from './owners.ts'
import { recordAttempts } from './record-attempts.ts'

/** Attempts that end within this time are recorded together. */
const BATCH_MS = 3
/** The wait before recording is tried again after an error. */
const RETRY_MS = 1_000

interface RecorderOptions {
  db: Queryable & Pick<Db, 'transaction'>
  clock: Clock
  groupsOf: Owners['groupsOf']
  /** Called with claims that need no slot any more: they are recorded or released, or their leases have ended. */
  onSettled: (claims: Claim[]) => void
  report: (error: unknown) => void
}

/** Records attempts and releases claims, in batches. While the database is away, attempts are kept until their leases end. */
export function openRecorder({ db, clock, groupsOf, onSettled, report }: RecorderOptions) {
  let finished: Attempt[] = []
  let unfinished: Claim[] = []
  let recording = false

  async function recordAll() {
    if (recording) return
    recording = true
    await wait(BATCH_MS)
    while (finished.length + unfinished.length > 0) {
      const [attempts, claims] = [finished, unfinished]
      finished = []
      unfinished = []
      const failed = await recordBatch(attempts, claims).catch(error => {
        report(error)
        keepLeased(attempts, claims)
        return true
      })
      if (failed) await wait(RETRY_MS)
    }
    recording = false
  }

  /** Records for each group of owners by itself. Returns whether that failed for any. */
  async function recordBatch(attempts: Attempt[], claims: Claim[]) {
    let failed = false
    const ownersOfAll = [...attempts.map(({ claim }) => claim), ...claims].map(({ userId }) => userId)
    for (const owners of await groupsOf(ownersOfAll)) {
      const own = attempts.filter(({ claim }) => owners.includes(claim.userId))
      const released = claims.filter(({ userId }) => owners.includes(userId))
      try {
        if (own.length > 0) await recordAttempts(db, own, clock.now())
        await releaseClaims(db, released, clock.now())
        onSettled([...own.map(({ claim }) => claim), ...released])
      } catch (error) {
        failed = true
        report(error)
        keepLeased(own, released)
      }
    }
    return failed
  }

  /** Keeps the attempts whose leases last, to be recorded later. All other claims end with their leases. */
  function keepLeased(attempts: Attempt[], claims: Claim[]) {
    const oldest = clock.now().getTime() - LEASE_MS
    const kept = attempts.filter(({ at }) => at.getTime() > oldest)
    const lapsed = attempts.filter(attempt => !kept.includes(attempt))
    finished = [...kept, ...finished]
    onSettled([...lapsed.map(({ claim }) => claim), ...claims])
  }

  return {
    record(attempt: Attempt) {
      finished.push(attempt)
      recordAll().catch(report)
    },
    release(claim: Claim) {
      unfinished.push(claim)
      recordAll().catch(report)
    }
  }
}
