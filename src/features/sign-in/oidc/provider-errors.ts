import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError
} from 'openid-client'
import { OperatorError } from '../../../platform/core/operator-error.ts'
import { SignInRefused } from './refusal.ts'

/** Errors of OAuth that pass. */
const PASSING = ['server_error', 'temporarily_unavailable']
/** Errors of the library for an answer that did not come, or is not of the provider itself, but of a proxy before it. */
const ABSENT = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR'
]

/** Throws the refusal that an error of the library stands for. Another error is a bug, and is thrown as it is. */
export function toRefusal(error: unknown): never {
  if (error instanceof AuthorizationResponseError) {
    const kind = error.error === 'access_denied' ? 'denied' : PASSING.includes(error.error) ? 'unavailable' : 'unusable'
    throw new SignInRefused(kind, plainCode(error.error), { cause: error })
  }
  if (error instanceof ResponseBodyError)
    throw new SignInRefused(PASSING.includes(error.error) ? 'unavailable' : 'unusable', plainCode(error.error), {
      cause: error
    })
  // Such as of a client with another secret.
  if (error instanceof WWWAuthenticateChallengeError) throw new SignInRefused('unusable', error.code, { cause: error })
  if (error instanceof ClientError) {
    const code = error.code ?? 'unknown'
    throw new SignInRefused(ABSENT.includes(code) ? 'unavailable' : 'unusable', `${code}${claimOf(error)}`, {
      cause: error
    })
  }
  if (error instanceof OperatorError) throw new SignInRefused('unusable', 'provider_metadata', { cause: error })
  // fetch has no other class for a connection that fails.
  if (error instanceof TypeError && error.cause !== undefined)
    throw new SignInRefused('unavailable', codeOfConnection(error.cause), { cause: error })
  throw error
}

/** The name of the claim that the error is about, which says what to correct. */
function claimOf({ cause }: Error) {
  const facts: unknown = cause instanceof Error ? cause.cause : undefined
  const claim = typeof facts === 'object' && facts !== null && 'claim' in facts ? facts.claim : undefined
  return typeof claim === 'string' && /^[a-z_]{1,30}$/.test(claim) ? ` ${claim}` : ''
}

/** A code of OAuth comes from outside, and the log takes no text from there. */
function plainCode(code: string) {
  return /^[a-z][a-z_]{0,60}$/.test(code) ? code : 'other_error'
}

function codeOfConnection(cause: unknown) {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return /^[A-Z][A-Z_]{1,60}$/.test(code) ? code : 'no_connection'
}
