/** A provider of OpenID Connect, where people sign in. */
export interface IdentityProvider {
  /** The name that people know it by. */
  name: string
  /** The address that the provider leads back to, which its operator registers. */
  redirectUri: string
  /** Returns the address at the provider to which a sign-in leads. */
  authorize(flow: Flow): Promise<URL>
  /** Returns the person of an answer of the provider. Throws SignInRefused. */
  identify(answer: URLSearchParams, flow: Flow): Promise<Identity>
  /** Throws an error that says what to do unless the provider can be used. */
  check(): Promise<void>
  close(): Promise<void>
}

/** A person that a provider vouches for. Issuer and subject name them for ever; an address may pass to somebody else. */
export interface Identity {
  issuer: string
  subject: string
  /** The verified address, in its normal form. */
  email: string
  name: string | null
}

/** One sign-in at a provider. */
export interface Flow {
  /** Names the sign-in in the log, and in the row that marks it as used. */
  id: string
  /** Comes back from the provider with its answer. */
  state: string
  /** Comes back in the ID token. */
  nonce: string
  /** The secret of PKCE, whose hash the provider gets. */
  verifier: string
  startedAt: Date
}
