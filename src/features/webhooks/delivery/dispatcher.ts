import type { EventEmitter } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../platform/core/clock.ts'
import { isNodeDown } from '../../../platform/db/errors.ts'
import type { Database, Db, Queryable } from '../../../platform/db/open.ts'
import type { Outcome, Sender } from '../../../platform/ports/sender.ts'
import { notSent } from '../outcome.ts'
import { ATTEMPT_TIMEOUT_MS, type Claim, claimDeliveries, decideClaim, isMostlyFree } from './claim.ts'
import { decideNext } from './judge-attempts.ts'
import { openMaintenance } from './maintenance.ts'
import { openOwners } from './owners.ts'
import { openRecorder } from './recorder.ts'

export interface DispatcherOptions {
  db: Queryable & Pick<Db, 'transaction'>
  isDistributed: Database['isDistributed']
  /** Tells of the deliveries that this process commits. */
  commits: EventEmitter
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

/** The intervals at which the queue is polled for commits of other processes: longer after a minute without any. */
const POLL_MS = { busy: 500, idle: 2_000, idleAfter: 60_000 }
const STOP_GRACE_MS = 5_000
const STOP_POLL_MS = 3

/** Delivers queued events, beside the dispatchers of other processes, until it is stopped. */
export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, isDistributed, commits, clock, sender, onError, onAttempt } = options
  const report = (error: unknown) => onError(error instanceof Error ? error : new Error(String(error)))
  const inFlight = new Set<Claim>()
  const wokenOwners = new Set<string>()
  const stopping = new AbortController()
  const abort = new AbortController()
  const alarm = openAlarm()
  const { listDue, groupsOf } = openOwners(db, isDistributed, report)
  const recorder = openRecorder({ db, clock, groupsOf, onSettled, report })

  function wake(userId?: string) {
    if (userId) wokenOwners.add(userId)
    alarm.ring()
  }

  function onSettled(claims: Claim[]) {
    for (const claim of claims) {
      inFlight.delete(claim)
      wokenOwners.add(claim.userId)
    }
    alarm.ring()
  }

  async function run() {
    while (!stopping.signal.aborted) {
      alarm.reset()
      if (await claimAndDeliver().catch(report)) alarm.keepBusy()
      else await alarm.rest()
    }
  }

  /** Returns the number of deliveries that it claimed and whose attempts it started. */
  async function claimAndDeliver() {
    let claimed = 0
    const wanted = decideClaim(inFlight, clock.now())
    if (!wanted) return claimed
    const changed = isMostlyFree(inFlight) ? [...wokenOwners] : []
    wokenOwners.clear()
    for (const owners of await groupsOf(await listDue(wanted, changed))) {
      const options = decideClaim(inFlight, clock.now())
      if (!options) break
      const claims = await claimDeliveries(db, owners, options).catch(ignoreNodeDown)
      for (const claim of claims ?? []) {
        inFlight.add(claim)
        deliver(claim).catch(report)
      }
      claimed += claims?.length ?? 0
    }
    return claimed
  }

  /** Reports an error, except that the node of an owner is down: `listDue` has reported that. */
  function ignoreNodeDown(error: unknown): undefined {
    if (!isNodeDown(error)) report(error)
  }

  async function deliver(claim: Claim) {
    const at = clock.now()
    const outcome = claim.body === null ? notSent('expired') : await send(claim, claim.body)
    if (!outcome) return recorder.release(claim)
    onAttempt?.(outcome.error ?? 'delivered')
    const verdict =
      claim.body === null
        ? { ended: 'failed' as const, gone: false }
        : decideNext(outcome, claim.attemptInRound, clock.now())
    recorder.record({ claim, at, outcome, verdict })
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

  commits.on('deliveries', wake)
  const running = run()
  const maintenance = openMaintenance({ db, clock, groupsOf, onExpired: wake, onError })

  return {
    wake,
    async stop() {
      commits.off('deliveries', wake)
      stopping.abort()
      alarm.ring()
      await Promise.all([running, maintenance.stop()])
      const timer = setTimeout(() => abort.abort(), STOP_GRACE_MS)
      // Without the database nothing can be recorded or released; the leases end by themselves.
      const deadline = performance.now() + 2 * STOP_GRACE_MS
      while (inFlight.size > 0 && performance.now() < deadline) await wait(STOP_POLL_MS)
      clearTimeout(timer)
    }
  }
}

/** Ends a rest between two polls of the queue early, where something may be due. */
function openAlarm() {
  let rung = false
  let endRest = () => {}
  let busyAt = performance.now()
  return {
    ring() {
      rung = true
      endRest()
    },
    reset() {
      rung = false
    },
    keepBusy() {
      busyAt = performance.now()
    },
    /** Waits for the next poll, unless it rang since the last reset. */
    async rest() {
      if (rung) return
      const idle = performance.now() - busyAt > POLL_MS.idleAfter
      const { promise, resolve } = Promise.withResolvers<void>()
      endRest = resolve
      const timer = setTimeout(resolve, (idle ? POLL_MS.idle : POLL_MS.busy) * (0.8 + 0.4 * Math.random()))
      await promise
      clearTimeout(timer)
    }
  }
}
