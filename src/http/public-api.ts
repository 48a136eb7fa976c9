import { GUARD_ERRORS } from '../contract/common.ts'
import { ERROR_MEANING } from '../contract/errors.ts'
import { SCOPES } from '../contract/scopes.ts'
import type { ApiDescription } from './openapi.ts'

/** What the document of /v1 says besides its routes. */
export function publicApi(publicUrl: string): ApiDescription {
  return {
    info: {
      title: 'Parlance',
      version: '1.0.0',
      summary: 'Recorded conversations: summaries, action items and transcripts over HTTP.',
      description: ABOUT
    },
    serverUrl: publicUrl,
    tags: [
      { name: 'Sessions', description: 'Recorded conversations with their summaries, action items and transcripts.' },
      { name: 'Folders', description: 'Named groups of sessions; a session may be in many.' },
      { name: 'People', description: 'Who is heard in the sessions, by name.' },
      { name: 'Shared sessions', description: 'What others share with you, read-only.' },
      { name: 'Sharing', description: 'Who has access to your sessions, through links and invites.' },
      { name: 'Events', description: 'What happened, in order: a feed to poll and acknowledge.' },
      { name: 'Webhooks', description: 'The same events, pushed to your URL and signed.' },
      { name: 'Account', description: 'The owner of the token.' },
      { name: 'About', description: 'The service about itself.' }
    ],
    securitySchemes: { token: { type: 'http', scheme: 'bearer', description: `A token, with scopes: ${scopeList()}` } },
    securityOf: (scopes = 'public') => (scopes === 'public' ? [] : scopes.map(scope => ({ token: [scope] }))),
    errors: { open: ['invalid_request', 'rate_limit_exceeded', 'internal_error'], guarded: GUARD_ERRORS },
    meaning: ERROR_MEANING,
    headers: [
      {
        name: 'X-Request-Id',
        component: 'RequestId',
        description: 'The id of this request, to quote when something is wrong.',
        type: 'string'
      },
      {
        name: 'X-RateLimit-Limit',
        component: 'RateLimit',
        description: 'How many requests the window nearest to its end allows.',
        type: 'integer'
      },
      { name: 'X-RateLimit-Remaining', component: 'RateRemaining', description: 'How many of them are left.', type: 'integer' },
      { name: 'X-RateLimit-Reset', component: 'RateReset', description: 'When that window ends, in epoch seconds.', type: 'integer' }
    ]
  }
}

const ABOUT = `Every answer carries \`X-Request-Id\` and the \`X-RateLimit-*\` headers. Every refusal has the shape \`{"error": {"code", "message"}}\`;
checks come in the order path, token, rate limit, scope, parameters, existence. What another user owns answers exactly as what does not exist.`

function scopeList() {
  return Object.entries(SCOPES)
    .map(([scope, grants]) => `\`${scope}\` (${grants})`)
    .join(', ')
}
