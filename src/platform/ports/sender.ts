import type { Refusal } from '../core/api-error.ts'

/** Checks URLs, encrypts secrets, signs and posts. */
export interface Sender {
  /** Asks the name servers, so no transaction may be open. Returns the URL to store, or a sentence that says what to send instead. */
  checkTarget(url: string): Promise<URL | Refusal>
  encrypt(secret: string, userId: string, webhookId: string): string
  encryptHeaders(headers: Record<string, string>, userId: string, webhookId: string): string
  /** Signs and posts once. A failure is an outcome, also a secret that SECRET_KEY does not decrypt; rejects when the signal aborts. */
  send(event: OutgoingEvent, timeoutMs: number, signal?: AbortSignal): Promise<Outcome>
  close(): Promise<void>
}

/** An event on its way to an endpoint. */
interface OutgoingEvent {
  userId: string
  webhookId: string
  eventId: string
  url: string
  /** Encrypted, as it is stored. */
  secret: string
  previousSecret: string | null
  /** The owner's headers, encrypted; null without any. */
  headers: string | null
  /** Sent byte for byte. */
  body: string
}

/** The result of one attempt. */
export interface Outcome {
  /** The HTTP status of the answer. Null without an answer. */
  status: number | null
  /** Null when the answer was a 2xx. */
  error: ErrorClass | null
  durationMs: number
  /** The receiver's Retry-After header, as sent. */
  retryAfter: string | null
  /** The beginning of the answer's body. */
  answer: string
  /** Those of the answer's headers that help its owner, a line each. */
  answerHeaders: string
}

/** The errors of attempts. */
export type ErrorClass =
  | 'timeout'
  | 'connect_timeout'
  | 'dns'
  | 'refused'
  | 'reset'
  | 'tls'
  | 'tls_expired'
  | 'tls_untrusted'
  | 'tls_wrong_host'
  | 'blocked_address'
  | 'proxy_unreachable'
  | 'proxy_refused'
  | 'redirect'
  | 'http_error'
  | 'unreadable_secret'
  | 'unreadable_headers'
  | 'other'
  | 'expired'
  | 'internal'
  | 'interrupted'
