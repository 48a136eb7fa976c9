import { ERROR_STATUS, type ErrorCode } from '../contract/errors.ts'
import type { Scope } from '../contract/scopes.ts'
import type { Caller } from './caller.ts'

/** After a 503 that names no time of its own. */
const RETRY_UNAVAILABLE_SECONDS = 2

/** A refusal the client is meant to read: the code, a sentence that says what to do, and rarely more. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** Seconds after which trying again makes sense; becomes the Retry-After header. */
  readonly retryAfter: number | undefined
  /** Under which id the person is found that had this one before. */
  readonly mergedInto: string | undefined

  /** `cause` is for the log alone. */
  constructor(
    code: ErrorCode,
    message: string,
    options: { status?: number; retryAfter?: number; mergedInto?: string; cause?: unknown } = {}
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = options.status ?? ERROR_STATUS[code]
    this.retryAfter = options.retryAfter ?? (this.status === 503 ? RETRY_UNAVAILABLE_SECONDS : undefined)
    this.mergedInto = options.mergedInto
  }
}

export function notFound(thing: string) {
  return new ApiError('not_found', `${thing} not found`)
}

export function invalid(message: string) {
  return new ApiError('invalid_request', message)
}

/** For a field of a body that needs a scope besides that of its route. */
export function requireScope({ scopes }: Caller, scope: Scope, field: string) {
  if (!scopes.has(scope)) throw new ApiError('insufficient_scope', `${field} needs the scope ${scope}`)
}
