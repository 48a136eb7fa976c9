import { ERROR_MEANING } from '../../contract/errors.ts'
import {
  type ApiDescription,
  OPERATION_HEADERS,
  REQUEST_ID,
  RETRY_AFTER,
  WWW_AUTHENTICATE
} from '../http/document/api-description.ts'

/** The document of the admin API apart from its routes. */
export const ADMIN_API: ApiDescription = {
  info: {
    title: 'Parlance admin API',
    version: '1.0.0',
    summary: 'The API of first-party apps.',
    description:
      'The HTTP API of the operator, on the admin port. A caller with the key may act for every user; the path names the user. Changes record the same events as changes over `/v1`.'
  },
  serverUrl: 'http://127.0.0.1:9090',
  tags: [
    { name: 'Users', description: 'The owners of conversations.' },
    { name: 'Tokens', description: 'Tokens with which integrations of a user authenticate at `/v1`.' },
    { name: 'Sessions', description: 'Conversations in any state: import, change, delete, restore.' },
    { name: 'Calls', description: 'Ongoing phone calls.' },
    { name: 'People', description: 'The people in sessions.' },
    { name: 'Summary templates', description: 'The sections of summaries.' },
    { name: 'Terms', description: 'Words that recognizers get wrong, and what is meant.' },
    { name: 'Folders', description: 'Named groups of sessions.' },
    { name: 'Shared sessions', description: 'Sessions that others share with the user, read-only.' },
    { name: 'Sharing', description: 'Links, invites and their claims, and the shared parts of a session.' },
    { name: 'About', description: 'Information about the API.' }
  ],
  securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'The value of `APP_API_KEY`.' } },
  securityOf: scopes => (scopes === 'public' ? [] : [{ key: [] }]),
  errors: {
    open: ['invalid_request', 'not_found', 'internal_error'],
    guarded: [
      'invalid_request',
      'unauthorized',
      'invalid_token',
      'rate_limit_exceeded',
      'internal_error',
      'service_unavailable'
    ]
  },
  meaning: {
    ...ERROR_MEANING,
    unauthorized: 'The Authorization header is missing or is not of the form "Bearer <key>".',
    invalid_token: 'The key is another one.',
    rate_limit_exceeded: 'Too many requests without the key have come from this address in this minute.',
    not_found: 'The user does not exist, or has nothing under that id.',
    conflict: 'The state of the session or call does not allow the request; the message says why.'
  },
  headers: {
    'X-Request-Id': REQUEST_ID,
    'Retry-After': RETRY_AFTER,
    'WWW-Authenticate': WWW_AUTHENTICATE,
    ...OPERATION_HEADERS
  }
}
