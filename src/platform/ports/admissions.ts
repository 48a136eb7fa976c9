import type { Audience } from '../../contract/oauth.ts'
import type { TokenActor } from './actor.ts'

/** The rate window of an actor that is nearer to exhaustion; for a refused request, the exhausted one. */
export interface RateWindow {
  allowed: boolean
  /** A token's minute or day, or a client address's minute. */
  window: 'minute' | 'day' | 'address'
  limit: number
  remaining: number
  /** Epoch seconds. */
  resetAt: number
}

export interface Admission {
  actor: TokenActor
  rate: RateWindow
  /** When the token expires, in ISO 8601. */
  expiresAt: string
}

export interface Admissions {
  /**
   * Authenticates and counts one request, against the minute limit of the door through which it comes. Undefined for a token that is unknown, expired or
   * revoked.
   */
  admit(token: string, door?: Audience): Promise<Admission | undefined>
  /** The actor of a token that this process has authenticated before, without a query. */
  recall(token: string): TokenActor | undefined
  /** Saves the day's counts and stops. */
  stop(): Promise<void>
}

/** The limits of a token. A request counts once, whichever door it comes through. */
export interface RateLimits {
  perMinute: number
  perDay: number
  /** The requests in a minute up to which `/mcp` answers; `perMinute` unless set. */
  assistantsPerMinute?: number | undefined
}
