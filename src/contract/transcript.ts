import { z } from 'zod'

export const TranscriptSegment = z
  .object({
    speaker: z.string(),
    start: z.number().meta({ description: 'Seconds from the start of the recording.' }),
    end: z.number(),
    text: z.string()
  })
  .meta({ id: 'Segment' })

export const TranscriptResponse = z
  .object({
    id: z.string(),
    transcript: z.string().meta({ description: 'The conversation as text: one line per turn, starting with its speaker.' }),
    segments: z.array(TranscriptSegment).optional().meta({ description: 'Absent if the source has no times.' })
  })
  .meta({ id: 'TranscriptResponse' })
export type TranscriptResponse = z.infer<typeof TranscriptResponse>
