import type { Scope } from '../contract/scopes.ts'

/** The owner and scopes of the request's token. */
export interface Caller {
  userId: string
  tokenId: string
  scopes: ReadonlySet<Scope>
}

/** A caller's quota in the window nearer to exhaustion; for a refused request, the exhausted window. */
export interface Quota {
  allowed: boolean
  /** A token's minute or day, or a client address's minute. */
  window: 'minute' | 'day' | 'address'
  limit: number
  remaining: number
  /** Epoch seconds. */
  resetAt: number
}

export interface Admission {
  caller: Caller
  quota: Quota
}

export interface Admissions {
  /** Authenticates and counts one request. Undefined for a token that is unknown, expired or revoked. */
  admit(token: string): Promise<Admission | undefined>
  /** The caller of a token that this process has authenticated before, without a query. */
  recall(token: string): Caller | undefined
  /** Saves the day's counts and stops. */
  stop(): Promise<void>
}

export interface RateLimits {
  perMinute: number
  perDay: number
}
