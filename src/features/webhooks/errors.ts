import { errors } from 'undici'
import { codeOf } from '../../platform/core/error-code.ts'
import { ProxyRefused, ProxyUnreachable } from '../../platform/net/tunnel.ts'
import type { ErrorClass } from '../../platform/ports/sender.ts'

/** Webhooks may not be sent to this address. */
export class BlockedAddress extends Error {}

/** The name has no address, or no name server answered. */
export class LookupFailed extends Error {}

/** The attempt has reached its deadline. */
export class TimedOut extends Error {}

const BY_CODE: Record<string, ErrorClass> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'connect_timeout',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  UND_ERR_SOCKET: 'reset',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  CERT_HAS_EXPIRED: 'tls_expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_host',
  HOSTNAME_MISMATCH: 'tls_wrong_host'
}

const TLS =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$)/

/** The class of an error that prevented an answer. */
export function classifyError(error: unknown): ErrorClass {
  if (error instanceof BlockedAddress) return 'blocked_address'
  if (error instanceof LookupFailed) return 'dns'
  if (error instanceof TimedOut) return 'timeout'
  if (error instanceof ProxyUnreachable) return 'proxy_unreachable'
  if (error instanceof ProxyRefused) return error.unreachable ? 'refused' : 'proxy_refused'
  const code = codeOf(error)
  if (BY_CODE[code]) return BY_CODE[code]
  if (TLS.test(code)) return 'tls'
  // If no address of a host works, the error of the first stands for all.
  return error instanceof AggregateError && error.errors.length > 0 ? classifyError(error.errors[0]) : 'other'
}

/** Returns whether the connection broke off, as a kept-alive connection does when the receiver closes it. */
export function isReset(error: unknown) {
  return classifyError(error) === 'reset'
}

/** Returns whether this server closed the client itself, which is not a failure of the receiver. */
export function isClientClosed(error: unknown) {
  return error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError
}
