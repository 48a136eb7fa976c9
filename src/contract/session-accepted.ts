import { z } from 'zod'

export const SESSION_STATUSES = ['processing', 'completed', 'failed'] as const

export const SessionAccepted = z
  .object({
    id: z.string().meta({ examples: ['ses_01m7x9fbe4fey9tg3s33gak8w3'] }),
    status: z
      .enum(SESSION_STATUSES)
      .meta({ description: '`processing` until summary, action items and search index are ready.' }),
    external_id: z
      .string()
      .nullable()
      .meta({ description: 'The id of the conversation at its source; of a file without one, its digest.' }),
    warnings: z
      .array(z.string())
      .optional()
      .meta({ description: 'The ignored parts of the import, one sentence each. Absent if nothing was ignored.' })
  })
  .meta({ id: 'SessionAccepted' })
export type SessionAccepted = z.infer<typeof SessionAccepted>
