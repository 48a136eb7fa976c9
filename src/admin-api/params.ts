import { z } from 'zod'

/** Ids in paths. Any text is accepted: a malformed id is an unknown one. */
export const user_id = z
  .string()
  .meta({ description: 'The id of the user on whose behalf the request acts.', examples: ['usr_01m7x1q4t8f0kr8y2sdc4n6vqe'] })
export const session_id = z.string().meta({ description: 'The id of the session.', examples: ['ses_01m7x9fbe4fey9tg3s33gak8w3'] })
export const person_id = z.string().meta({ description: 'The id of the person.', examples: ['per_01m7x5r8n3k2vfd9w0c6ty4hbs'] })
