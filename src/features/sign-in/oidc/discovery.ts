import { allowInsecureRequests, customFetch, discovery, type ServerMetadata } from 'openid-client'
import type { Clock } from '../../../platform/core/clock.ts'
import { OperatorError } from '../../../platform/core/operator-error.ts'
import type { Fetch } from '../../../platform/net/outbound-fetch.ts'

/** A provider that moves an endpoint is followed after this time. */
const KEPT_MS = 3_600_000

interface Discovery {
  issuer: string
  clientId: string
  fetch: Fetch
  clock: Clock
  timeoutMs: number
}

/**
 * Returns a function that fetches what the provider says of itself, and keeps it for an hour. A failure is not kept, so the next sign-in asks again;
 * callers at the same time share one request.
 */
export function openDiscovery({ issuer, clientId, fetch, clock, timeoutMs }: Discovery): () => Promise<ServerMetadata> {
  let kept: { metadata: ServerMetadata; at: number } | undefined
  let asked: Promise<ServerMetadata> | undefined

  async function ask() {
    // With the whole address the library leaves the comparison of the issuer to its caller. It would refuse a slash at the end.
    const address = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
    const config = await discovery(address, clientId, undefined, undefined, {
      [customFetch]: fetch,
      timeout: timeoutMs / 1_000,
      ...(address.protocol === 'http:' && { execute: [allowInsecureRequests] })
    })
    const { supportsPKCE: _, ...metadata } = config.serverMetadata()
    requireIssuer(metadata, issuer)
    for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
      if (!URL.canParse(metadata[endpoint] ?? ''))
        throw new OperatorError(`OIDC_ISSUER: the provider names no ${endpoint} that is a URL; correct it there`)
    kept = { metadata, at: clock.now().getTime() }
    return metadata
  }

  return async () => {
    if (kept && clock.now().getTime() - kept.at < KEPT_MS) return kept.metadata
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return await asked
  }
}

/** Another issuer than the configured one could speak for people that it does not know. */
function requireIssuer({ issuer: named }: ServerMetadata, issuer: string) {
  if (named.replace(/\/$/, '') === issuer.replace(/\/$/, '')) return
  throw new OperatorError(`OIDC_ISSUER: the provider calls itself ${named}; set that if it is the one you mean`)
}
