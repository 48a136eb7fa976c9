/**
 * The error codes of the API, each with its default status.
 * This table is the only place to add one; the OpenAPI document and the tests read it.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  limit_exceeded: 400,
  validation_error: 400,
  unauthorized: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  no_access: 403,
  sender_unverified: 403,
  account_required: 403,
  not_found: 404,
  media_unavailable: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  rate_limit_exceeded: 429,
  sharing_rate_limited: 429,
  internal_error: 500,
  internal: 500,
  service_unavailable: 503,
  sharing_unavailable: 503
} as const

/** Other statuses of `invalid_request`; `ofBody` marks those of methods with a body, `ofKey` those of routes that take an Idempotency-Key, `ofChecksum` those that take an Upload-Checksum. */
export const OTHER_STATUS: Record<string, { meaning: string; ofBody?: true; ofKey?: true; ofChecksum?: true }> = {
  408: { meaning: 'The request did not arrive in time.' },
  413: { meaning: 'The body is larger than this path takes.', ofBody: true },
  415: { meaning: 'The body is not sent as Content-Type: application/json.', ofBody: true },
  422: { meaning: 'The Idempotency-Key was sent before with another request; use a new key.', ofKey: true },
  460: { meaning: 'The bytes do not have the digest of Upload-Checksum.', ofChecksum: true },
  431: { meaning: 'The headers are larger than 16 KiB.' }
}

export type ErrorCode = keyof typeof ERROR_STATUS

/** The meaning of each code for clients, as the OpenAPI document shows it. */
export const ERROR_MEANING: Record<ErrorCode, string> = {
  invalid_request: 'A parameter, header or body is missing or invalid; the message names it and says what to send.',
  limit_exceeded: 'A limit on the number of such objects, or a quota of the user, is reached; the message names it.',
  validation_error:
    'A parameter of the list of shared sessions is invalid; the message names it and says what to send.',
  unauthorized: 'The Authorization header is missing or is not of the form "Bearer <token>".',
  invalid_token: 'The token is unknown, expired or revoked.',
  insufficient_scope: 'The token lacks the scope that the message names.',
  no_access: 'The session is shared with you; only its owner may do this.',
  sender_unverified: 'Your e-mail address is not verified; sharing needs a verified address.',
  account_required: 'Your account has no e-mail address; sharing needs one.',
  not_found: 'Nothing with this id or path exists for this token.',
  media_unavailable: 'The shared session has no recording, or its recording is not shared.',
  method_not_allowed: 'The path exists, but not with this method; the header Allow names its methods.',
  conflict:
    'The state of the session or upload does not allow the request, and the message says why: for example the action items have changed since the version in If-Match.',
  precondition_failed:
    'The session has changed since the ETag in If-Match was read: read it again, and repeat the change. On uploads in parts: the version in Tus-Resumable is another one.',
  rate_limit_exceeded: 'The rate limit of this minute or day is used up; Retry-After says when to try again.',
  sharing_rate_limited: 'The sharing limit of this minute or day is used up; Retry-After says when to try again.',
  internal_error: 'The server failed. Quote the request id in the message.',
  internal: 'Sharing failed. Quote the request id in the message.',
  service_unavailable:
    'The server is temporarily unavailable, for example without its database; Retry-After says when to try again.',
  sharing_unavailable:
    'Sharing is temporarily unavailable, for example without the database; Retry-After says when to try again.'
}
