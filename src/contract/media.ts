import { z } from 'zod'
import { timestamp } from './common.ts'

const link = z.string().nullable()

export const MediaResponse = z
  .object({
    id: z.string(),
    audio_url: link.meta({ description: 'Where the audio is read, with ranges; null where there is none.' }),
    video_url: link.meta({ description: 'Where the video is read, with ranges; null where there is none.' }),
    expires_at: timestamp.meta({ description: 'When links that the server signed stop; a recording kept elsewhere has its own rules.' }),
    audio_deleted_at: timestamp.nullable().meta({ description: 'When the recording was deleted; both links are null then.' })
  })
  .meta({ id: 'MediaResponse' })
export type MediaResponse = z.infer<typeof MediaResponse>
