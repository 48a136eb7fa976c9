import { z } from 'zod'
import { timestamp } from './common.ts'
import { AccountQuotas } from './quotas.ts'
import { AccountRetention } from './retention.ts'

/** The fields of a token in every list and answer. */
export const tokenFields = {
  id: z.string().meta({ examples: ['tok_01m7x1r3w9e0kr8y2sdc4n6vqe'] }),
  name: z.string(),
  scopes: z.array(z.string()),
  created_at: timestamp,
  expires_at: timestamp
}

export const lastUsedAt = timestamp.nullable().meta({
  description: 'The beginning of the day, in UTC, of the last request with this token. Null before the first one.'
})

export const AccountResponse = z
  .object({
    user_id: z.string(),
    subscription_active: z.boolean(),
    session_count: z.number().meta({ description: 'The number of sessions in the sessions list.' }),
    quotas: AccountQuotas,
    retention: AccountRetention,
    token: z
      .object({ ...tokenFields, last_used_at: lastUsedAt })
      .meta({ id: 'AccountToken', description: 'The token of this request.' })
  })
  .meta({ id: 'AccountResponse' })
export type AccountResponse = z.infer<typeof AccountResponse>
