import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { LIMITS } from '../../contract/limits.ts'
import { ASSERTION_ALGORITHMS } from '../../contract/oauth.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import type { Needs } from '../services.ts'
import type { ClientKeys } from './client-keys.ts'
import { type OAuthClient, useAssertion } from './clients.ts'
import { OAuthRefusal } from './refusal.ts'

/** The seconds by which the clock of a client may be wrong. */
const TOLERANCE_SECONDS = 30

/** Returns the client that an assertion names, unverified. */
export function subjectOf(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).sub
  } catch {
    return undefined
  }
}

/**
 * Verifies the assertion by which a client authenticates (RFC 7523), and uses it up. If the keys of a client cannot be read that may also send none, its
 * assertion counts as none: whoever poses as that client would leave it out.
 */
export async function verifyAssertion(
  services: Needs<'db' | 'clock' | 'publicUrl'>,
  keys: ClientKeys,
  client: OAuthClient,
  assertion: string
): Promise<void> {
  if (client.kind !== 'document') throw refused('is of a client without a document')
  const find = client.jwksUri === null ? undefined : await keys.at(client.jwksUri)
  if (find) return await useUp(services, client, await verify(services, client, assertion, find))
  if (client.needsAssertion)
    throw new ApiError('service_unavailable', 'The keys at jwks_uri cannot be read now', {
      retryAfter: LIMITS.oauth.retrySeconds
    })
}

async function verify(
  { clock, publicUrl }: Needs<'clock' | 'publicUrl'>,
  { clientId }: OAuthClient,
  assertion: string,
  find: JWTVerifyGetKey
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(assertion, find, {
      algorithms: ASSERTION_ALGORITHMS,
      issuer: clientId,
      subject: clientId,
      audience: ['', '/', '/oauth/token', '/oauth/revoke'].map(path => `${publicUrl}${path}`),
      requiredClaims: ['exp', 'jti'],
      currentDate: clock.now(),
      clockTolerance: TOLERANCE_SECONDS
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) throw refused(problemOf(error))
    throw error
  }
}

function problemOf(error: errors.JOSEError) {
  if (error instanceof errors.JWTExpired) return 'has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `lacks ${error.claim}, or has a wrong one`
  if (error instanceof errors.JWKSNoMatchingKey) return 'is signed by a key that is not at jwks_uri'
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'does not name its key by kid'
  if (error instanceof errors.JOSEAlgNotAllowed) return `must be signed by one of ${ASSERTION_ALGORITHMS.join(', ')}`
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'has a wrong signature'
  return 'cannot be read'
}

async function useUp(
  { db, clock }: Needs<'db' | 'clock'>,
  { clientId }: OAuthClient,
  { exp = 0, jti = '' }: JWTPayload
): Promise<void> {
  if (typeof jti !== 'string' || jti === '') throw refused('lacks jti, or has a wrong one')
  if (exp > clock.now().getTime() / 1_000 + LIMITS.oauth.assertionSeconds + TOLERANCE_SECONDS)
    throw refused(`expires later than in ${LIMITS.oauth.assertionSeconds} s`)
  const expiresAt = new Date((exp + TOLERANCE_SECONDS) * 1_000)
  if (!(await useAssertion(db, clientId, jti, expiresAt))) throw refused('was used before: its jti is known')
}

function refused(problem: string) {
  return new OAuthRefusal('invalid_client', `The client_assertion ${problem}`)
}
