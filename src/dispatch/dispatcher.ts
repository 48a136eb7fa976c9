import { randomUUID } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { Reader } from '../db/open.ts'
import type { Sender } from '../webhooks/sender.ts'
import { type Claim, claimDeliveries } from './claim.ts'
import { expireClaims, returnClaims, reviseQueue, shiftQueue } from './release.ts'
import { judge } from './schedule.ts'
import { type Attempt, type Outcome, settleAttempts } from './settle.ts'

export interface DispatcherOptions {
  db: Reader
  clock: Clock
  sender: Pick<Sender, 'send'>
  onError: (fault: Error) => void
  /** Called with what became of each attempt. */
  onAttempt?: (result: string) => void
}

export interface Dispatcher {
  /** Something may be due now. */
  wake(): void
  /** Takes nothing more, gives what is under way a moment to end, and hands the rest back. */
  stop(): Promise<void>
}

/** Attempts in flight at a time, in this process: those at slow endpoints have slots of their own. */
const SLOTS = 256
const SLOW_SLOTS = 64
/** Attempts in flight at a time, over all processes. Of the slots that are left, an owner may take this part. */
const PER_ENDPOINT = 4
const PER_OWNER = 8
const OWNER_PART = 1 / 32
const ATTEMPT_MS = 15_000
/** Four times what an attempt may take, so that none outlives its lease. */
const LEASE_MS = 60_000
/** How often other processes' commits are looked for, and how often after a minute without any. */
const POLL_MS = { busy: 500, idle: 2_000, idleAfter: 60_000 }
/** Attempts that end within this time are noted together. */
const GATHER_MS = 3
const HOUSEKEEPING_MS = 15_000
/** Every so many times the queue itself is revised. */
const REVISE_EVERY = 4
/** A clock that is set back by less is only corrected. */
const SET_BACK_MS = 60_000
const GRACE_MS = 5_000

/** There is nothing left to send; no attempt is made. */
const NO_LONGER_KEPT: Outcome = { status: null, error: 'expired', durationMs: 0, retryAfter: null, answer: '' }

/** Delivers what the queue holds, beside the dispatchers of other processes, from now until it is stopped. */
export function openDispatcher({ db, clock, sender, onError, onAttempt }: DispatcherOptions): Dispatcher {
  const underWay = new Set<Claim>()
  const stopping = new AbortController()
  const giveUp = new AbortController()
  let ended: Attempt[] = []
  let returned: Claim[] = []
  let woken = false
  let rouse = () => {}
  let lastFound = performance.now()
  let noting = false

  function wake() {
    woken = true
    rouse()
  }

  async function takeTurns() {
    while (!stopping.signal.aborted) {
      woken = false
      const found = await take().catch(report)
      if (found) lastFound = performance.now()
      else if (!woken) await rest()
    }
  }

  /** By how much the clock is ahead of the time that the process counts, which no one sets. */
  let ahead = clock.now().getTime() - performance.now()

  async function heedClock() {
    const now = clock.now()
    const before = ahead
    ahead = now.getTime() - performance.now()
    if (before - ahead < SET_BACK_MS) return
    await shiftQueue(db, now, before - ahead).catch(fault => {
      ahead = before
      throw fault
    })
  }

  async function take() {
    await heedClock().catch(report)
    const slow = [...underWay].filter(claim => claim.slow).length
    const room = SLOTS - (underWay.size - slow)
    const slowRoom = SLOW_SLOTS - slow
    if (room <= 0 && slowRoom <= 0) return 0
    const now = clock.now()
    const perEndpoint = Math.max(1, Math.min(PER_ENDPOINT, room))
    const claims = await claimDeliveries(db, {
      claimId: randomUUID(),
      now,
      leaseUntil: new Date(now.getTime() + LEASE_MS),
      endpoints: Math.floor(room / perEndpoint),
      slowEndpoints: slowRoom,
      perEndpoint,
      perOwner: Math.min(PER_OWNER, Math.ceil(room * OWNER_PART))
    })
    for (const claim of claims) {
      underWay.add(claim)
      deliver(claim).catch(report)
    }
    return claims.length
  }

  async function deliver(claim: Claim) {
    const at = clock.now()
    const outcome = claim.body === null ? NO_LONGER_KEPT : await send(claim, claim.body).catch(notMade)
    if (outcome) onAttempt?.(outcome.error ?? 'delivered')
    if (!outcome) returned.push(claim)
    else if (claim.body === null) ended.push({ claim, at, outcome, verdict: { ended: 'failed', gone: false } })
    else ended.push({ claim, at, outcome, verdict: judge(outcome, claim.attemptInRound, clock.now()) })
    if (!noting) await note()
  }

  function send(claim: Claim, body: string): Promise<Outcome> {
    return sender.send({ ...claim, body }, ATTEMPT_MS, giveUp.signal)
  }

  /** A fault of this server: it is tried again like any failure, lest it be tried without end. Undefined where the server stops. */
  function notMade(fault: unknown): Outcome | undefined {
    if (giveUp.signal.aborted) return undefined
    report(fault)
    return { ...NO_LONGER_KEPT, error: 'internal' }
  }

  /** Notes what ends, until nothing is left. Where the database is away, the attempts are kept until it is back or others have taken them over. */
  async function note() {
    noting = true
    await new Promise(done => setTimeout(done, GATHER_MS))
    // From then on, what ends while a batch is noted is the next one.
    while (ended.length + returned.length > 0) {
      const [attempts, claims] = [ended, returned]
      ended = []
      returned = []
      try {
        if (attempts.length > 0) await settleAttempts(db, attempts, clock.now())
        await returnClaims(db, claims, clock.now())
        for (const claim of [...attempts.map(one => one.claim), ...claims]) underWay.delete(claim)
        wake()
      } catch (fault) {
        report(fault)
        keepFor(attempts, claims)
        await new Promise(done => setTimeout(done, 1_000))
      }
    }
    noting = false
  }

  function keepFor(attempts: Attempt[], claims: Claim[]) {
    const oldest = clock.now().getTime() - LEASE_MS
    const kept = attempts.filter(({ at }) => at.getTime() > oldest)
    for (const { claim } of attempts.filter(one => !kept.includes(one))) underWay.delete(claim)
    // A claim that cannot be handed back runs out by itself.
    for (const claim of claims) underWay.delete(claim)
    ended = [...kept, ...ended]
  }

  async function rest() {
    const idle = performance.now() - lastFound > POLL_MS.idleAfter
    const ms = (idle ? POLL_MS.idle : POLL_MS.busy) * (0.8 + 0.4 * Math.random())
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(done => {
      rouse = done
      timer = setTimeout(done, ms)
    })
    clearTimeout(timer)
  }

  let rounds = 0
  async function keepHouse() {
    if (await expireClaims(db, clock.now())) wake()
    if (rounds++ % REVISE_EVERY === 0) await reviseQueue(db, clock.now())
  }

  function report(fault: unknown) {
    onError(fault instanceof Error ? fault : new Error(String(fault)))
  }

  const turns = takeTurns()
  const housekeeping = setInterval(() => keepHouse().catch(report), HOUSEKEEPING_MS)
  keepHouse().catch(report)

  return {
    wake,
    async stop() {
      stopping.abort()
      clearInterval(housekeeping)
      rouse()
      await turns
      const late = setTimeout(() => giveUp.abort(), GRACE_MS)
      // Without the database nothing can be noted or handed back; the leases see to it.
      const latest = performance.now() + 2 * GRACE_MS
      while (underWay.size > 0 && performance.now() < latest) await new Promise(done => setTimeout(done, GATHER_MS))
      clearTimeout(late)
    }
  }
}
