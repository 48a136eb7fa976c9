import { ERROR_STATUS, type ErrorCode } from '../contract/errors.ts'
import type { Scope } from '../contract/scopes.ts'

/** Retry-After of a 503 without a time of its own, in seconds. */
const RETRY_UNAVAILABLE_SECONDS = 2

/** An error for the client: a code and a sentence that says what to do. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** Seconds; becomes the Retry-After header. */
  readonly retryAfter: number | undefined
  /** The id of the person that this one was merged into. */
  readonly mergedInto: string | undefined
  /** The scope that the token lacks. */
  readonly scope: Scope | undefined

  /** `cause` goes to the log only. */
  constructor(
    code: ErrorCode,
    message: string,
    options: {
      status?: number
      retryAfter?: number
      mergedInto?: string
      scope?: Scope | undefined
      cause?: unknown
    } = {}
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = options.status ?? ERROR_STATUS[code]
    this.retryAfter = options.retryAfter ?? (this.status === 503 ? RETRY_UNAVAILABLE_SECONDS : undefined)
    this.mergedInto = options.mergedInto
    this.scope = options.scope
  }
}

/** Throws not_found. `param` is the parameter or field that names the missing thing, unless the path does. */
export function throwNotFound(
  what: string,
  { mergedInto, param }: { mergedInto?: string; param?: string | undefined } = {}
): never {
  const message = param === undefined ? `${what} not found` : `${param}: ${what.toLowerCase()} not found`
  throw new ApiError('not_found', message, mergedInto === undefined ? {} : { mergedInto })
}

/** Throws not_found: no person has the id, or for `me`, no person is the user. */
export function throwNoPerson(idOrMe: string, param?: string): never {
  if (idOrMe !== 'me') throwNotFound('Person', { param })
  const reason = 'person is marked as the user; mark one with is_me: true'
  throw new ApiError('not_found', param === undefined ? `No ${reason}` : `${param}: no ${reason}`)
}

export function invalid(message: string) {
  return new ApiError('invalid_request', message)
}
