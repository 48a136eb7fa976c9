import { LIMITS } from '../../contract/limits.ts'
import type { Audience } from '../../contract/oauth.ts'
import type { TokenActor } from '../../platform/ports/actor.ts'
import type { Admission, RateWindow } from '../../platform/ports/admissions.ts'
import type { Services } from '../services.ts'
import { type AddressLimit, addressLimit } from './address-limit.ts'
import { limitsAt } from './admission.ts'
import { isWellFormed } from './token-format.ts'

/** The caller: a token if there is one, and the client address, which counts for requests that have no valid token. */
export interface Principal {
  token: string | undefined
  address: string
  /** The door through which the request comes. */
  door: Audience
}

type Shown = Partial<Record<Audience, RateWindow>>

export interface Limiter extends Pick<Services, 'admissions' | 'clock' | 'rateLimits'> {
  /** The requests that have no valid token. */
  failures: AddressLimit
  /** The rate window last shown to each token at each door. The entry goes with the actor when `admissions` forgets the token. */
  shown: WeakMap<TokenActor, Shown>
}

export function openLimiter({ admissions, clock, rateLimits }: Services): Limiter {
  const failures = addressLimit(clock, rateLimits.perMinute * LIMITS.addressFactor)
  return { admissions, clock, rateLimits, failures, shown: new WeakMap() }
}

/** Authenticates a principal and counts the request. Undefined without a valid token, which counts nothing yet. */
export async function admit(limiter: Limiter, { token, address, door }: Principal): Promise<Admission | undefined> {
  if (token === undefined || !isWellFormed(token)) return undefined
  const { admissions, failures, shown } = limiter
  // An address over its limit reaches the database only with tokens that this process has authenticated before.
  if (!failures.peek(address).allowed && !shownTo(limiter, token)) return undefined
  const admission = await admissions.admit(token, door)
  const actor = admission?.actor ?? admissions.recall(token)
  if (admission && actor) shown.set(actor, { ...shown.get(actor), [door]: admission.rate })
  else if (actor) shown.delete(actor)
  return admission
}

function shownTo({ admissions, shown }: Limiter, token: string): Shown | undefined {
  const actor = admissions.recall(token)
  return actor && shown.get(actor)
}

/** The principal's rate window as this process last saw it, for when the database is away. */
export function lastRate(limiter: Limiter, { token, address, door }: Principal): RateWindow {
  const { clock, rateLimits, failures } = limiter
  const shown = shownTo(limiter, token ?? '')
  if (!shown) return failures.peek(address)
  const last = shown[door]
  const minute = Math.floor(clock.now().getTime() / 60_000)
  if (last && last.resetAt > minute * 60) return last
  const { perMinute } = limitsAt(door, rateLimits)
  return {
    allowed: true,
    window: 'minute',
    limit: perMinute,
    remaining: perMinute,
    resetAt: (minute + 1) * 60
  }
}

/** The principal's rate window after counting this request, which leads to no operation. */
export async function countUnserved(limiter: Limiter, principal: Principal): Promise<RateWindow> {
  try {
    return (await admit(limiter, principal))?.rate ?? limiter.failures.count(principal.address)
  } catch {
    return lastRate(limiter, principal)
  }
}
