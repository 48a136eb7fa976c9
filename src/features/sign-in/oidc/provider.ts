import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  clockSkew,
  customFetch,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type ServerMetadata
} from 'openid-client'
import type { Clock } from '../../../platform/core/clock.ts'
import { OperatorError } from '../../../platform/core/operator-error.ts'
import { openFetch } from '../../../platform/net/outbound-fetch.ts'
import type { Outbound } from '../../../platform/net/proxies.ts'
import type { IdentityProvider } from '../../../platform/ports/identity-provider.ts'
import { openDiscovery } from './discovery.ts'
import { type Claims, isVerified, readIdentity } from './identity.ts'
import { toRefusal } from './provider-errors.ts'
import { SignInRefused } from './refusal.ts'

/** The time for one request; a sign-in needs four of them at most, and its page has 30 s. */
const TIMEOUT_MS = 6_000
const MAX_RESPONSE_BYTES = 1024 ** 2
/** The person, their address and their name. */
const SCOPES = 'openid email profile'

export interface ProviderSettings {
  issuer: string
  clientId: string
  clientSecret: string
  name: string
  /** Whole domains in lower case, whose addresses alone may sign in. Every one if empty. */
  allowedDomains: readonly string[]
}

interface Surroundings {
  redirectUri: string
  clock: Clock
  outbound: Outbound
  timeoutMs?: number
}

/** Opens the provider of the settings. It is asked when somebody signs in, not before, so the server starts without it. */
export function openProvider(
  { issuer, clientId, clientSecret, name, allowedDomains }: ProviderSettings,
  { redirectUri, clock, outbound, timeoutMs = TIMEOUT_MS }: Surroundings
): IdentityProvider {
  const { fetch, close } = openFetch(outbound, { connectTimeoutMs: timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES })
  const discover = openDiscovery({ issuer, clientId, fetch, clock, timeoutMs })

  /**
   * A configuration for one sign-in. The library keeps the keys of a provider with it for minutes, in which it would refuse those of a provider that
   * has replaced its keys at once.
   */
  async function configure() {
    const metadata = await discover()
    // The library counts from the clock of this machine.
    const skew = Math.round((clock.now().getTime() - Date.now()) / 1_000)
    const config = new Configuration(metadata, clientId, { [clockSkew]: skew }, clientAuth(metadata, clientSecret))
    config[customFetch] = fetch
    config.timeout = timeoutMs / 1_000
    if (issuer.startsWith('http:')) allowInsecureRequests(config)
    // By default it relies on TLS alone for the ID token.
    enableNonRepudiationChecks(config)
    return { config, metadata }
  }

  return {
    name,
    redirectUri,

    async authorize({ state, nonce, verifier }) {
      const { config } = await configure().catch(toRefusal)
      return buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: SCOPES,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256'
      })
    },

    async identify(answer, { state, nonce, verifier }) {
      const { ids, claims } = await ask(answer, { state, nonce, verifier }).catch(toRefusal)
      return readIdentity(ids, claims, allowedDomains)
    },

    async check() {
      const failure = await discover()
        .catch(toRefusal)
        .then(
          () => undefined,
          (error: unknown) => error
        )
      if (failure instanceof SignInRefused && failure.cause instanceof OperatorError) throw failure.cause
      if (failure instanceof SignInRefused)
        throw new OperatorError(
          `OIDC_ISSUER: ${issuer} does not answer as a provider (${failure.code}); start or correct it`
        )
      if (failure !== undefined) throw failure
    },

    close
  }

  /** Exchanges the code of an answer. Takes address and verdict from the ID token, or both from the userinfo endpoint. */
  async function ask(
    answer: URLSearchParams,
    { state, nonce, verifier }: Record<'state' | 'nonce' | 'verifier', string>
  ) {
    const { config, metadata } = await configure()
    const tokens = await authorizationCodeGrant(config, new URL(`${redirectUri}?${answer}`), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true
    })
    const ids = tokens.claims()
    if (!ids) throw new Error('An ID token was expected, and the library took an answer without one')
    const isComplete = ids.email !== undefined && isVerified(ids.iss, ids) !== undefined
    const claims: Claims =
      isComplete || metadata.userinfo_endpoint === undefined
        ? ids
        : await fetchUserInfo(config, tokens.access_token, ids.sub)
    return { ids, claims }
  }
}

/** Basic is what a provider must know that names nothing else. */
function clientAuth({ token_endpoint_auth_methods_supported: known }: ServerMetadata, secret: string) {
  return (known ?? []).includes('client_secret_post') && !known?.includes('client_secret_basic')
    ? ClientSecretPost(secret)
    : ClientSecretBasic(secret)
}
