import { ERROR_MEANING } from '../contract/errors.ts'
import { type ApiDescription, REQUEST_ID, RETRY_AFTER } from './openapi.ts'

/** What the document of the app API says besides its routes. */
export const APP_API: ApiDescription = {
  info: {
    title: 'Parlance app API',
    version: '1.0.0',
    summary: 'What recorders and settings pages do for their users.',
    description:
      'On the admin port, for first-party apps alone: whoever has the key may act for every user, whom the path names. A change here records the same events as one over `/v1`.'
  },
  serverUrl: 'http://127.0.0.1:9090',
  tags: [
    { name: 'Users', description: 'Whose conversations are kept.' },
    { name: 'Tokens', description: 'What integrations of a user authenticate with at `/v1`.' },
    { name: 'Sessions', description: 'Conversations in any state: taken in, changed, deleted, restored.' },
    { name: 'Calls', description: 'Phone calls while they are going on.' },
    { name: 'People', description: 'Who is heard, and who is who.' },
    { name: 'Folders', description: 'What a client does with folders beside `/v1`.' },
    { name: 'Sharing', description: 'Links and invites claimed, and how much of a session is shared.' },
    { name: 'About', description: 'The API about itself.' }
  ],
  securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'The value of `APP_API_KEY`.' } },
  securityOf: scopes => (scopes === 'public' ? [] : [{ key: [] }]),
  errors: {
    open: ['invalid_request', 'not_found', 'internal_error'],
    guarded: ['unauthorized', 'invalid_token', 'rate_limit_exceeded', 'internal_error', 'service_unavailable']
  },
  meaning: {
    ...ERROR_MEANING,
    unauthorized: 'The Authorization header is missing or is not of the form "Bearer <key>".',
    invalid_token: 'The key is another one.',
    rate_limit_exceeded: 'Too many requests without the key have come from this address in this minute.',
    not_found: 'The user does not exist, or has nothing under that id.',
    conflict: 'What is asked for does not go with the state that the thing is in; the message names it.'
  },
  headers: { 'X-Request-Id': REQUEST_ID, 'Retry-After': RETRY_AFTER }
}
