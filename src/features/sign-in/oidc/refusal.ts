/**
 * Why a sign-in at a provider signs nobody in: the provider does not answer; the person refused there; its answer cannot be trusted or used; it does not
 * vouch for an address; the address is of another domain; it has no user and may not become one; it belongs to another person of the provider; or
 * the sign-in was used, has expired, or belongs to another browser.
 */
export type RefusalKind =
  | 'unavailable'
  | 'denied'
  | 'unusable'
  | 'unverified'
  | 'domain'
  | 'uninvited'
  | 'taken'
  | 'ended'

/** A sign-in at a provider that signs nobody in. */
export class SignInRefused extends Error {
  readonly kind: RefusalKind
  /** The code of the error, for the operator. It holds nothing of the person. */
  readonly code: string
  /** The id of the sign-in, once it is known. */
  flowId: string | undefined

  constructor(kind: RefusalKind, code: string = kind, options?: ErrorOptions) {
    super(`The sign-in was refused: ${kind} (${code})`, options)
    this.kind = kind
    this.code = code
  }
}
