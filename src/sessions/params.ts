import { z } from 'zod'

/** The path of one session. Any text goes: what is no id is an id that nothing has. */
export const sessionId = z.object({
  id: z.string().meta({ description: 'The id of the session.', examples: ['ses_01m7x9fbe4fey9tg3s33gak8w3'] })
})
