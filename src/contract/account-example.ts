import type { AccountResponse } from './account.ts'
import { ACCOUNT_QUOTAS_EXAMPLE } from './quotas.ts'
import { RETENTION_EXAMPLE } from './retention.ts'

export const ACCOUNT_EXAMPLE: AccountResponse = {
  user_id: 'usr_01m7x0b5t2e9s8d4qj3mzk6cvw',
  subscription_active: true,
  session_count: 128,
  quotas: ACCOUNT_QUOTAS_EXAMPLE,
  retention: RETENTION_EXAMPLE,
  token: {
    id: 'tok_01m7x1r3w9e0kr8y2sdc4n6vqe',
    name: 'my script',
    scopes: ['account:read'],
    created_at: '2026-03-02T10:00:00.000Z',
    expires_at: '2027-03-02T10:00:00.000Z',
    last_used_at: '2026-03-04T00:00:00.000Z'
  }
}
