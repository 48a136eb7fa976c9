import { z } from 'zod'
import { shortName } from '../../../contract/admin/user.ts'
import { emailAddress } from '../../../contract/email.ts'
import { unstorableError } from '../../../platform/core/unstorable-text.ts'
import type { Identity } from '../../../platform/ports/identity-provider.ts'
import { SignInRefused } from './refusal.ts'

/** Statements of a provider about a person, in an ID token or at its userinfo endpoint. */
export type Claims = Record<string, unknown>

/** Microsoft Entra in its clouds. It has no `email_verified`, but says whether the owner of the address's domain verified it. */
const ENTRA = ['login.microsoftonline.com', 'login.microsoftonline.us', 'login.partner.microsoftonline.cn']
const YES: unknown[] = [true, 1, '1', 'true']

/** Returns whether the provider says that the address is the person's own. Undefined if it says nothing about that. */
export function isVerified(issuer: string, { email_verified: verified, xms_edov: domainVerified }: Claims) {
  // Some providers, such as Cognito, write it as text.
  if (verified !== undefined) return verified === true || verified === 'true'
  if (domainVerified === undefined || !ENTRA.includes(URL.parse(issuer)?.hostname ?? '')) return undefined
  return YES.includes(domainVerified)
}

const Subject = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u)

/** Reads the person of an ID token's issuer and subject, and of the claims that have the address. Throws SignInRefused. */
export function readIdentity(
  { iss: issuer, sub }: { iss: string; sub: string },
  claims: Claims,
  allowedDomains: readonly string[]
): Identity {
  const { data: subject } = Subject.safeParse(sub)
  if (subject === undefined) throw new SignInRefused('unusable', 'subject')
  const { data: email } = emailAddress.safeParse(claims.email)
  if (email === undefined) throw new SignInRefused('unverified', 'no_email')
  if (!isVerified(issuer, claims)) throw new SignInRefused('unverified', 'email_not_verified')
  if (!isAllowed(email, allowedDomains)) throw new SignInRefused('domain')
  return { issuer, subject, email, name: readName(claims.name) }
}

/** Compares whole domains. The address is in lower case and has one @. Without a list, every domain is allowed. */
function isAllowed(email: string, allowedDomains: readonly string[]) {
  return allowedDomains.length === 0 || allowedDomains.includes(email.slice(email.lastIndexOf('@') + 1))
}

/** A name that cannot be stored is left out: nobody is refused for it. */
function readName(sent: unknown) {
  const { data: name } = shortName.safeParse(sent)
  return name === undefined || unstorableError(name) ? null : name
}
