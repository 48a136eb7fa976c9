import { randomUUID } from 'node:crypto'
import { DELIVERY } from '../../../contract/delivery.ts'
import type { Claim, ClaimOptions, Speed } from './claim.ts'

/** Attempts in flight in this process. Each speed has slots of its own, so that none waits for the slowness of another. */
const MAX_IN_FLIGHT: Record<Speed, number> = { prompt: 256, new: 256, slow: 64 }
/** The attempts that one claim starts at new and slow endpoints, so that prompt endpoints get theirs between two claims. */
const MAX_PER_CLAIM = 16
/** Attempts in flight over all processes. An owner may also take this share of the free slots at most. */
const MAX_PER_ENDPOINT = 4
const MAX_PER_OWNER = 8
const OWNER_SHARE = 1 / 32

export const ATTEMPT_TIMEOUT_MS = DELIVERY.answerSeconds * 1_000
/** Four times the timeout, so that no attempt outlives its lease. */
export const LEASE_MS = 60_000

/** Returns what the next claim may take while these are in flight; undefined if no slot is free. */
export function decideClaim(inFlight: Iterable<Claim>, now: Date): ClaimOptions | undefined {
  const free = countFreeSlots(inFlight)
  if (free.prompt + free.new + free.slow === 0) return undefined
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

/** Returns whether most slots of prompt endpoints are free, so that owners of whom we heard may precede those that wait for a poll. */
export function isMostlyFree(inFlight: Iterable<Claim>) {
  return countFreeSlots(inFlight).prompt > MAX_IN_FLIGHT.prompt / 2
}

function countFreeSlots(inFlight: Iterable<Claim>) {
  const free = { ...MAX_IN_FLIGHT }
  for (const { speed } of inFlight) free[speed]--
  return free
}
