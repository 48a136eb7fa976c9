import { z } from 'zod'

export const AccountResponse = z
  .object({
    user_id: z.string(),
    subscription_active: z.boolean(),
    session_count: z.number().meta({ description: 'The number of sessions in the sessions list.' })
  })
  .meta({ id: 'AccountResponse' })
export type AccountResponse = z.infer<typeof AccountResponse>
