/**
 * Every error code the API answers with, and the status it is sent with unless the thrower names another.
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
  conflict: 409,
  rate_limit_exceeded: 429,
  sharing_rate_limited: 429,
  internal_error: 500,
  internal: 500,
  service_unavailable: 503,
  sharing_unavailable: 503
} as const

/** Statuses that `invalid_request` has besides its own; `ofBody` are those of methods that may have a body. */
export const OTHER_STATUS: Record<string, { meaning: string; ofBody?: true }> = {
  408: { meaning: 'The request did not arrive in time.' },
  413: { meaning: 'The body is larger than this path takes.', ofBody: true },
  415: { meaning: 'The body is not sent as Content-Type: application/json.', ofBody: true },
  431: { meaning: 'The headers are larger than 16 KiB.' }
}

export type ErrorCode = keyof typeof ERROR_STATUS

/** What each code means to the client that reads it; the OpenAPI document carries these. */
export const ERROR_MEANING: Record<ErrorCode, string> = {
  invalid_request: 'A parameter, header or body is missing or not valid; the message names it and says what to send.',
  limit_exceeded: 'There can be no more of these; the message says how many.',
  validation_error: 'A parameter of the list of shared sessions is not valid; the message names it and says what to send.',
  unauthorized: 'The Authorization header is missing or is not of the form "Bearer <token>".',
  invalid_token: 'The token is unknown, expired or revoked.',
  insufficient_scope: 'The token lacks the scope that the message names.',
  no_access: 'The session is shared with the owner of the token, and only its owner may do this.',
  sender_unverified: "The owner's e-mail address is not verified, so nothing can be shared in its name.",
  account_required: 'The owner of the token has no e-mail address; sharing needs one.',
  not_found: 'There is nothing here under that id or path for this token.',
  media_unavailable: 'The shared session has no recording, or it is not shared.',
  conflict: 'Another writer has changed the action items since the version in If-Match; read them again.',
  rate_limit_exceeded: 'The limit of this minute or day is used up; Retry-After says when to come back.',
  sharing_rate_limited: 'Too much was shared in this minute or day; Retry-After says when to come back.',
  internal_error: 'The server failed. The message carries the request id to quote.',
  internal: 'Sharing failed. The message carries the request id to quote.',
  service_unavailable: 'The server cannot serve this now, for example while its database is away; Retry-After says when to try again.',
  sharing_unavailable: 'Sharing cannot be served now, for example while the database is away; Retry-After says when to try again.'
}
