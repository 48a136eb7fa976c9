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
    transcript: z.string().meta({ description: 'The whole conversation as text, a line for each turn, led by its speaker.' }),
    segments: z.array(TranscriptSegment).optional().meta({ description: 'Absent where the source has no times.' })
  })
  .meta({ id: 'TranscriptResponse' })
export type TranscriptResponse = z.infer<typeof TranscriptResponse>
