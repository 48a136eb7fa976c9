import { z } from 'zod'
import { timestamp } from './common.ts'

const link = z.string().nullable()

export const MediaResponse = z
  .object({
    id: z.string(),
    audio_url: link.meta({ description: 'The URL of the audio; it supports range requests. Null without audio.' }),
    video_url: link.meta({ description: 'The URL of the video; it supports range requests. Null without video.' }),
    expires_at: timestamp.meta({
      description: 'When links signed by this server expire. URLs of other servers follow their own rules.'
    }),
    audio_deleted_at: timestamp
      .nullable()
      .meta({ description: 'When the recording was deleted. Both URLs are null then.' })
  })
  .meta({ id: 'MediaResponse' })
export type MediaResponse = z.infer<typeof MediaResponse>
