import { z } from 'zod'

export const AccountResponse = z
  .object({
    user_id: z.string(),
    subscription_active: z.boolean(),
    session_count: z.number().meta({ description: 'How many sessions the list shows.' })
  })
  .meta({ id: 'AccountResponse' })
