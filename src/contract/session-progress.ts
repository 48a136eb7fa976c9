import { z } from 'zod'
import { SESSION_STATUSES } from './session-accepted.ts'

/** Fields of a session about its processing. */

export const status = z
  .enum(SESSION_STATUSES)
  .meta({ description: 'Summary, notes and tags are complete once it is `completed`.' })
export const failure_reason = z
  .string()
  .nullable()
  .optional()
  .meta({ description: 'Why processing failed, as a sentence for people. Null otherwise.' })
export const progress = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .meta({
    description:
      'How much of a long recording is transcribed, from 0 to 1. Present while it is, in a session that is `processing`.',
    examples: [0.4]
  })
export const waiting_reason = z.string().optional().meta({
  description: 'Why processing waits, as a sentence for people. Present while it does; it goes on by itself.'
})
export const transcript_warnings = z.array(z.string()).optional().meta({
  description:
    'The segments of the transcription server that are left out of the transcript because they are no speech, one sentence each. Absent if there were none.'
})
