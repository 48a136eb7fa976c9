import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { DELIVERY } from '../../contract/delivery.ts'
import type { Clock } from '../../core/clock.ts'
import { isNodeDown } from '../../db/errors.ts'
import type { Database, Db, Queryable } from '../../db/open.ts'
import { notSent, type Outcome } from '../outcome.ts'
import type { Sender } from '../sender.ts'
import { decideNext } from './backoff.ts'
import { type Claim, type ClaimOptions, claimDeliveries, type Speed } from './claim.ts'
import type { Attempt } from './judge-attempts.ts'
import { expireLeases, listExpiredOwners, listLateOwners, releaseClaims, repairQueue } from './leases.ts'
import { openOwners } from './owners.ts'
import { recordAttempts } from './record-attempts.ts'

export interface DispatcherOptions {
  db: Queryable & Pick<Db, 'transaction'>
  isDistributed: Database['isDistributed']
  clock: Clock
  sender: Pick<Sender, 'send'>
  onError: (error: Error) => void
  /** Called with the result of each attempt: `delivered` or the class of its error. */
  onAttempt?: (result: string) => void
}

interface Dispatcher {
  /** Reports that something may be due now, of this owner or of any. */
  wake(userId?: string): void
  /** Claims nothing more, gives the attempts in flight a moment to end, and releases the rest. */
  stop(): Promise<void>
}

/** Attempts in flight in this process. Each speed has slots of its own, so that none waits for the slowness of another. */
const MAX_IN_FLIGHT: Record<Speed, number> = { prompt: 256, new: 256, slow: 64 }
/** The attempts that one claim starts at new and slow endpoints, so that prompt endpoints get theirs between two claims. */
const MAX_PER_CLAIM = 16
/** Attempts in flight over all processes. An owner may also take this share of the free slots at most. */
const MAX_PER_ENDPOINT = 4
const MAX_PER_OWNER = 8
const OWNER_SHARE = 1 / 32
const ATTEMPT_TIMEOUT_MS = DELIVERY.answerSeconds * 1_000
/** Four times the timeout, so that no attempt outlives its lease. */
const LEASE_MS = 60_000
/** The intervals at which the queue is polled for commits of other processes: longer after a minute without any. */
const POLL_MS = { busy: 500, idle: 2_000, idleAfter: 60_000 }
/** Attempts that end within this time are recorded together. */
const BATCH_MS = 3
const MAINTENANCE_MS = 15_000
/** Every fourth maintenance repairs the queue. */
const REPAIR_EVERY = 4
const STOP_GRACE_MS = 5_000

/** Delivers queued events, beside the dispatchers of other processes, until it is stopped. */
export function openDispatcher({
  db,
  isDistributed,
  clock,
  sender,
  onError,
  onAttempt
}: DispatcherOptions): Dispatcher {
  const inFlight = new Set<Claim>()
  const stopping = new AbortController()
  const abort = new AbortController()
  let finished: Attempt[] = []
  let unfinished: Claim[] = []
  let recording = false
  let woken = false
  let endRest = () => {}
  let lastClaimAt = performance.now()
  const { listDue, groupsOf } = openOwners(db, isDistributed, report)
  const wokenOwners = new Set<string>()

  function wake(userId?: string) {
    woken = true
    if (userId) wokenOwners.add(userId)
    endRest()
  }

  async function run() {
    while (!stopping.signal.aborted) {
      woken = false
      const claimed = await claimAndDeliver().catch(report)
      if (claimed) lastClaimAt = performance.now()
      else if (!woken) await rest()
    }
  }

  async function claimAndDeliver() {
    let claimed = 0
    const wanted = decideClaim()
    if (!wanted) return claimed
    // Woken owners come first, so they are added only while slots remain for owners that wait for a poll.
    const changed = countFreeSlots().prompt > MAX_IN_FLIGHT.prompt / 2 ? [...wokenOwners] : []
    wokenOwners.clear()
    for (const owners of await groupsOf(await listDue(wanted, changed))) {
      const options = decideClaim()
      if (!options) break
      const claims = await claimDeliveries(db, owners, options).catch(ignore)
      for (const claim of claims ?? []) {
        inFlight.add(claim)
        deliver(claim).catch(report)
      }
      claimed += claims?.length ?? 0
    }
    return claimed
  }

  function decideClaim(): ClaimOptions | undefined {
    const free = countFreeSlots()
    if (free.prompt + free.new + free.slow === 0) return undefined
    const now = clock.now()
    const perEndpoint = Math.max(1, Math.min(MAX_PER_ENDPOINT, free.prompt))
    return {
      claimId: randomUUID(),
      now,
      leaseUntil: new Date(now.getTime() + LEASE_MS),
      endpoints: {
        prompt: Math.floor(free.prompt / perEndpoint),
        new: Math.min(free.new, MAX_PER_CLAIM),
        slow: Math.min(free.slow, MAX_PER_CLAIM)
      },
      perEndpoint,
      perOwner: Math.min(MAX_PER_OWNER, Math.ceil(free.prompt * OWNER_SHARE))
    }
  }

  /** Reports an error, except that the node of an owner is down: `listDue` has reported that. */
  function ignore(error: unknown): undefined {
    if (!isNodeDown(error)) report(error)
  }

  function countFreeSlots() {
    const free = { ...MAX_IN_FLIGHT }
    for (const { speed } of inFlight) free[speed]--
    return free
  }

  async function deliver(claim: Claim) {
    const at = clock.now()
    const outcome = claim.body === null ? notSent('expired') : await send(claim, claim.body)
    if (outcome) onAttempt?.(outcome.error ?? 'delivered')
    if (!outcome) unfinished.push(claim)
    else if (claim.body === null) finished.push({ claim, at, outcome, verdict: { ended: 'failed', gone: false } })
    else finished.push({ claim, at, outcome, verdict: decideNext(outcome, claim.attemptInRound, clock.now()) })
    if (!recording) await recordFinished()
  }

  /** Returns undefined if the server stops. An error of this server counts as a failed attempt, so that it is not repeated forever. */
  async function send(claim: Claim, body: string): Promise<Outcome | undefined> {
    try {
      return await sender.send({ ...claim, body }, ATTEMPT_TIMEOUT_MS, abort.signal)
    } catch (error) {
      if (abort.signal.aborted) return undefined
      report(error)
      return notSent('internal')
    }
  }

  /** Records in batches until none is left. While the database is away, attempts are kept until their leases end. */
  async function recordFinished() {
    recording = true
    await wait(BATCH_MS)
    while (finished.length + unfinished.length > 0) {
      const [attempts, claims] = [finished, unfinished]
      finished = []
      unfinished = []
      const failed = await recordEach(attempts, claims).catch(error => {
        report(error)
        keepLeased(attempts, claims)
        return true
      })
      if (failed) await wait(1_000)
      else wake()
    }
    recording = false
  }

  /** Records for each group of owners by itself. Returns whether that failed for any. */
  async function recordEach(attempts: Attempt[], claims: Claim[]) {
    let failed = false
    for (const owners of await groupsOf(
      [...attempts.map(({ claim }) => claim), ...claims].map(({ userId }) => userId)
    )) {
      const own = attempts.filter(({ claim }) => owners.includes(claim.userId))
      const released = claims.filter(({ userId }) => owners.includes(userId))
      try {
        if (own.length > 0) await recordAttempts(db, own, clock.now())
        await releaseClaims(db, released, clock.now())
        for (const claim of [...own.map(({ claim }) => claim), ...released]) inFlight.delete(claim)
        for (const userId of owners) wokenOwners.add(userId)
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
    for (const { claim } of attempts.filter(attempt => !kept.includes(attempt))) inFlight.delete(claim)
    for (const claim of claims) inFlight.delete(claim)
    finished = [...kept, ...finished]
  }

  async function rest() {
    const idle = performance.now() - lastClaimAt > POLL_MS.idleAfter
    const { promise, resolve } = Promise.withResolvers<void>()
    endRest = resolve
    const timer = setTimeout(resolve, (idle ? POLL_MS.idle : POLL_MS.busy) * (0.8 + 0.4 * Math.random()))
    await promise
    clearTimeout(timer)
  }

  let rounds = 0
  async function maintainQueue() {
    const now = clock.now()
    for (const owners of await groupsOf(await listExpiredOwners(db, now)))
      if (await expireLeases(db, owners, now)) wake()
    if (rounds++ % REPAIR_EVERY > 0) return
    for (const owners of await groupsOf(await listLateOwners(db, now))) await repairQueue(db, owners, now)
  }

  function report(error: unknown) {
    onError(error instanceof Error ? error : new Error(String(error)))
  }

  const running = run()
  const maintenance = setInterval(() => maintainQueue().catch(report), MAINTENANCE_MS)
  maintainQueue().catch(report)

  return {
    wake,
    async stop() {
      stopping.abort()
      clearInterval(maintenance)
      endRest()
      await running
      const timer = setTimeout(() => abort.abort(), STOP_GRACE_MS)
      // Without the database nothing can be recorded or released; the leases end by themselves.
      const deadline = performance.now() + 2 * STOP_GRACE_MS
      while (inFlight.size > 0 && performance.now() < deadline) await wait(BATCH_MS)
      clearTimeout(timer)
    }
  }
}
