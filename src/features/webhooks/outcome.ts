import type { ErrorClass, Outcome } from '../../platform/ports/sender.ts'

/** The errors of attempts, each with the sentence that the owner reads. */
const REASONS: Record<ErrorClass, string> = {
  timeout: 'The receiver did not answer in time',
  connect_timeout: 'The receiver did not accept a connection in time',
  dns: 'The host name does not resolve to an address',
  refused: 'The receiver refused the connection, or cannot be reached',
  reset: 'The connection broke off before an answer',
  tls: 'The receiver and this server found no common TLS connection',
  tls_expired: 'The certificate of the receiver has expired',
  tls_untrusted: 'The certificate of the receiver is self-signed, or its chain is incomplete',
  tls_wrong_host: 'The certificate of the receiver is for another host',
  blocked_address: 'The address of the host is not public, and not in WEBHOOK_ALLOWED_CIDRS of the server',
  proxy_unreachable: 'The proxy of this server does not answer',
  proxy_refused: 'The proxy of this server refuses to connect to the receiver',
  redirect: 'The receiver redirects, which is not followed',
  http_error: 'The receiver did not answer with a 2xx',
  unreadable_secret:
    'This server cannot decrypt the secret of the webhook; rotate it: POST /v1/webhooks/{id}/rotate-secret',
  unreadable_headers: 'This server cannot decrypt the headers of the webhook; send them again: PATCH /v1/webhooks/{id}',
  other: 'The request failed',
  expired: 'The event is no longer kept',
  internal: 'This server failed',
  interrupted: 'The server that was sending stopped, or lost its database'
}

/** The outcome of an attempt that failed before a request was sent. */
export function notSent(error: ErrorClass): Outcome {
  return { status: null, error, durationMs: 0, retryAfter: null, answer: '', answerHeaders: '' }
}

const reasons = new Map<string, string>(Object.entries(REASONS))

/** Returns why an attempt failed, as a sentence that names neither address nor content. Null after success. */
export function reasonOf(error: string | null, status: number | null) {
  if (error === null) return null
  const reason = reasons.get(error) ?? REASONS.other
  return status === null ? reason : `${reason}: it answered with ${status}`
}
