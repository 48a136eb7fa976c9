import { ERROR_MEANING, type ErrorCode } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { SCOPES } from '../../../contract/scopes.ts'
import { basePathOf } from '../../../platform/net/links.ts'
import { type ApiDescription, OPERATION_HEADERS, REQUEST_ID, RETRY_AFTER, WWW_AUTHENTICATE } from './api-description.ts'
import { WEBHOOKS } from './webhook-description.ts'

/** The document of /v1 apart from its routes. */
export function publicApi(publicUrl: string): ApiDescription {
  return {
    info: {
      title: 'Parlance',
      version: '1.0.0',
      summary: 'Recorded conversations: summaries, action items and transcripts over HTTP.',
      description: ABOUT + guidesOf(basePathOf(publicUrl))
    },
    serverUrl: publicUrl,
    tags: [
      { name: 'Sessions', description: 'Recorded conversations with their summaries, action items and transcripts.' },
      { name: 'Uploads', description: 'Files that arrive in parts, by the tus protocol.' },
      { name: 'Action items', description: 'The action items of all sessions.' },
      { name: 'Summary templates', description: 'The sections of summaries.' },
      { name: 'Terms', description: 'Words that recognizers get wrong, and what is meant.' },
      { name: 'Folders', description: 'Named groups of sessions; a session may be in many.' },
      { name: 'People', description: 'The people who speak in your sessions.' },
      { name: 'Shared sessions', description: 'Sessions that others share with you, read-only.' },
      { name: 'Sharing', description: 'Access to your sessions, through links and invites.' },
      { name: 'Exports', description: 'Your whole library as one file.' },
      { name: 'Events', description: 'The feed of events, in order: poll it and acknowledge it.' },
      { name: 'Webhooks', description: 'Signed deliveries of the same events to your URL.' },
      { name: 'Account', description: 'The owner of the token.' },
      { name: 'About', description: 'Information about the API.' }
    ],
    securitySchemes: { token: { type: 'http', scheme: 'bearer', description: `A token, with scopes: ${scopeList()}` } },
    securityOf: (scopes = 'public') => (scopes === 'public' ? [] : scopes.map(scope => ({ token: [scope] }))),
    errors: { open: OPEN_ERRORS, guarded: [...OPEN_ERRORS, 'unauthorized', 'invalid_token', 'insufficient_scope'] },
    meaning: ERROR_MEANING,
    headers: {
      'X-Request-Id': REQUEST_ID,
      'X-RateLimit-Limit': {
        ...RATE_LIMIT,
        description: 'The number of requests that the window with fewer requests left allows.'
      },
      'X-RateLimit-Remaining': { ...RATE_LIMIT, description: 'The number of requests that are left in this window.' },
      'X-RateLimit-Reset': { ...RATE_LIMIT, description: 'When this window ends, in epoch seconds.' },
      RateLimit: {
        ...RATE_FIELD,
        description: 'The same window as a structured field: requests left (`r`), and seconds until it ends (`t`).'
      },
      'RateLimit-Policy': {
        ...RATE_FIELD,
        description: 'The requests that this window allows (`q`), and its length in seconds (`w`).'
      },
      'X-Token-Expires-At': {
        description: `When the token expires. Only in the last ${LIMITS.tokenNoticeDays.first} days, and not on public routes.`,
        type: 'string',
        required: false,
        on: status => status !== 401
      },
      'Retry-After': RETRY_AFTER,
      'WWW-Authenticate': WWW_AUTHENTICATE,
      ...OPERATION_HEADERS
    },
    webhooks: WEBHOOKS
  }
}

const OPEN_ERRORS: ErrorCode[] = ['invalid_request', 'rate_limit_exceeded', 'internal_error', 'service_unavailable']
const RATE_FIELD = { type: 'string', required: true, on: () => true } as const
const RATE_LIMIT = { type: 'integer', required: true, on: () => true } as const

const { requestsPerMinute, requestsPerDay, tokenSeconds } = LIMITS

const ABOUT = `## Tokens

Every request carries \`Authorization: Bearer <token>\`. You create a token in the settings of your app, or the operator of the server
creates one with \`npm run -s parlance -- token create --user <e-mail> --name <name> --scopes <scopes>\`. It is shown once, is valid for ${tokenSeconds.max / 86_400} days,
can be revoked at any time, and does what its scopes allow. In its last ${LIMITS.tokenNoticeDays.first} days answers have the header \`X-Token-Expires-At\`.

## Limits

A token may send ${requestsPerMinute} requests a minute and ${requestsPerDay.toLocaleString('en')} a day, unless the operator has set other limits. The
\`X-RateLimit-*\` headers of every answer show the window with fewer requests left, and \`RateLimit\` and \`RateLimit-Policy\` the same as structured fields. Beyond a limit the answer is 429, and \`Retry-After\`
says when to try again. Requests without a valid token are counted by client address.

## Requests

Send a body as JSON with \`Content-Type: application/json\`, in UTF-8. Instants are ISO 8601 with a time zone, except where a field is a
number of milliseconds. A list has \`has_more\` and \`next_cursor\`: send this as \`cursor\` to get the next page. Every POST that creates
something takes an \`Idempotency-Key\`: a repetition with the same key is carried out once. Send the \`ETag\` of a read as
\`If-None-Match\` to save the transfer, and that of a session or of its action items as \`If-Match\` to overwrite nobody's change. An unknown query
parameter is 400; an unknown field of a body is ignored, and named in \`warnings\` of the answer.

## Errors

Every error has the shape \`{"error": {"code", "message", "param"}}\`. Decide by \`code\`; \`message\` is a sentence for people, and \`param\`
names the invalid field, if one is the cause. Wait \`Retry-After\` seconds on 429 and 503, then repeat the request. Checks come in the
order path, token, rate limit, scope, parameters, existence. Another user's data answers exactly as data that does not exist. A path that is not in this
document answers 404 \`not_found\`, and a method that its path does not have 405 \`method_not_allowed\`. Ignore fields that you do not know: later versions add some.

## Recordings

\`GET /v1/sessions/{id}/media\` answers with signed URLs. A signed URL needs no token, is valid for an hour, and answers a GET with the
bytes of the recording, or with a redirect to where they are; it takes a \`Range\`. When it has expired, or the recording or the
access to it is gone, it answers 404.`

/** Links without a host, so that they stay on the address at which the document is read. */
function guidesOf(basePath: string) {
  return `

## Guides

The [guides](${basePath}/docs/) explain each task, from the first import to webhooks and backups. For language models and their agents
there are [an overview](${basePath}/llms.txt) and [this reference as Markdown](${basePath}/v1/docs.md). Assistants that speak the Model Context Protocol connect to \`${basePath}/mcp\`.`
}

function scopeList() {
  return Object.entries(SCOPES)
    .map(([scope, grants]) => `\`${scope}\` (${grants})`)
    .join(', ')
}
