import { ERROR_STATUS, type ErrorCode } from '../../contract/errors.ts'
import type { Scope } from '../../contract/scopes.ts'

/** Retry-After of a 503 without a time of its own, in seconds. */
const RETRY_UNAVAILABLE_SECONDS = 2

/** Why a value is refused: what is wrong with it, what is expected instead, or both. */
export interface Refusal {
  /** A sentence without its end: "another folder has this name". */
  problem?: string
  /** The object of a door's own verb: "a whole number from 1 to 100" becomes "send a whole number …" or "give a whole number …". */
  expected?: string
}

interface ErrorDetails {
  /** The input that is wrong, by its path: `action_items.0.text`. Each door shows it in its own way. */
  field?: string | undefined
  expected?: string | undefined
  status?: number
  retryAfter?: number
  mergedInto?: string | undefined
  scope?: Scope | undefined
  cause?: unknown
}

/** An error that the caller of an operation can mend. It knows nothing of the door: no header, path or verb. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly problem: string
  readonly field: string | undefined
  readonly expected: string | undefined
  readonly status: number
  /** Seconds; becomes the Retry-After header. */
  readonly retryAfter: number | undefined
  /** The id of the person that this one was merged into. */
  readonly mergedInto: string | undefined
  /** The scope that the token lacks. */
  readonly scope: Scope | undefined

  /** `cause` goes to the log only. */
  constructor(code: ErrorCode, problem: string, details: ErrorDetails = {}) {
    const { field, expected, status = ERROR_STATUS[code], cause } = details
    super(describeError({ field, problem, expected }, 'expected'), cause === undefined ? {} : { cause })
    this.name = 'ApiError'
    this.code = code
    this.problem = problem
    this.field = field
    this.expected = expected
    this.status = status
    this.retryAfter = details.retryAfter ?? (status === 503 ? RETRY_UNAVAILABLE_SECONDS : undefined)
    this.mergedInto = details.mergedInto
    this.scope = details.scope
  }
}

/** The sentence for people, with a door's verb: `limit: send a whole number from 1 to 100`. */
export function describeError(
  { field, problem = '', expected }: Refusal & { field?: string | undefined },
  verb: string
) {
  const remedy = expected === undefined ? [] : [`${verb} ${expected}`]
  if (field !== undefined) return `${field}: ${[problem, ...remedy].filter(part => part !== '').join('; ')}`
  if (problem !== '') return [problem, ...remedy].join('; ')
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${expected}`
}

/** Throws not_found. `field` is the input that names the missing thing, unless it is the subject of the operation. */
export function throwNotFound(
  what: string,
  { mergedInto, field }: { mergedInto?: string; field?: string | undefined } = {}
): never {
  const problem = `${field === undefined ? what : what.toLowerCase()} not found`
  throw new ApiError('not_found', problem, { field, mergedInto })
}

/** Throws not_found: no person has the id, or for `me`, no person is the user. */
export function throwNoPerson(idOrMe: string, field?: string): never {
  if (idOrMe !== 'me') throwNotFound('Person', { field })
  const no = field === undefined ? 'No' : 'no'
  throw new ApiError('not_found', `${no} person is marked as the user; mark one with is_me: true`, { field })
}

/** An invalid_request: the field, what is wrong with it, and what is expected instead. */
export function invalid({ field, problem = '', expected }: Refusal & { field?: string }) {
  return new ApiError('invalid_request', problem, { field, expected })
}
