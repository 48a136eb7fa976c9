import { errors } from 'undici'

/** Why a delivery failed, in a word that its owner may read. */
export const ERROR_CLASSES = [
  'timeout',
  'connect_timeout',
  'dns',
  'refused',
  'reset',
  'tls',
  'tls_expired',
  'tls_untrusted',
  'tls_wrong_host',
  'blocked_address',
  'redirect',
  'http_error',
  'unreadable_secret',
  'other'
] as const
export type ErrorClass = (typeof ERROR_CLASSES)[number]

/** The address is not one that webhooks may be sent to. */
export class BlockedAddress extends Error {}

/** The name has no address, or nobody who knows it answered. */
export class LookupFailed extends Error {}

/** The time for the whole attempt is over. */
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

/** The class of what kept an answer from coming. */
export function classOf(fault: unknown): ErrorClass {
  if (fault instanceof BlockedAddress) return 'blocked_address'
  if (fault instanceof LookupFailed) return 'dns'
  if (fault instanceof TimedOut) return 'timeout'
  const code = codeOf(fault)
  if (BY_CODE[code]) return BY_CODE[code]
  if (TLS.test(code)) return 'tls'
  // Where a host has several addresses and none of them works, what happened at the first stands for all.
  return fault instanceof AggregateError && fault.errors.length > 0 ? classOf(fault.errors[0]) : 'other'
}

/** Whether a connection broke off, as one does that was kept open longer than the receiver wanted. */
export function isBroken(fault: unknown) {
  return classOf(fault) === 'reset'
}

/** Whether we closed the client ourselves: nothing that the receiver has done. */
export function isOwnClosing(fault: unknown) {
  return fault instanceof errors.ClientDestroyedError || fault instanceof errors.ClientClosedError
}

function codeOf(fault: unknown) {
  return fault instanceof Error && 'code' in fault ? String(fault.code) : ''
}
