import { EXAMPLES } from '../examples.ts'
import { USER_QUOTAS_EXAMPLE } from '../quotas.ts'

/** Example responses for the OpenAPI document of the admin API. */

const tokenOf = {
  id: 'tok_01m7x1r3w9e0kr8y2sdc4n6vqe',
  name: 'my script',
  scopes: ['sessions:read', 'events:read'],
  created_at: '2026-03-02T10:00:00.000Z',
  expires_at: '2027-03-02T10:00:00.000Z'
}

const session = {
  ...EXAMPLES.sessionDetail,
  state: 'completed',
  failure: null,
  external_id: 'zoom-123',
  deleted_at: null,
  created_at: '2026-03-02T11:00:00.000Z',
  updated_at: '2026-03-02T11:02:00.000Z'
}

const phone = {
  direction: 'inbound',
  to_number: '+12025550123',
  from_number: null,
  status: 'ringing',
  ongoing: true,
  provider: 'twilio',
  contact_name: null
}

export const ADMIN_EXAMPLES = {
  session,
  call: {
    ...session,
    type: 'phone',
    title: 'Phone call',
    phone,
    duration_seconds: 0,
    state: 'processing',
    summary: null,
    action_items: [],
    action_items_version: 0
  },
  user: {
    id: 'usr_01m7x1q4t8f0kr8y2sdc4n6vqe',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    time_zone: 'Europe/London',
    email_verified: true,
    guest: false,
    operator: false,
    subscription_active: true,
    verified_caller_id: '+12025550123',
    quotas: USER_QUOTAS_EXAMPLE,
    retention: { audio_days: 7, session_days: null },
    created_at: '2026-03-02T10:00:00.000Z'
  },
  tokenIssued: { ...tokenOf, token: 'prl_8Jx1VqS0b2mTnR5cK7wYpL3dFzGhAe4uXyQ9' },
  tokenList: { tokens: [{ ...tokenOf, hint: 'prl_8Jx1', last_used_at: '2026-03-04T00:00:00.000Z', revoked_at: null }] },
  tokenRevoked: { id: tokenOf.id, revoked: true }
}
