import { z } from 'zod'
import { flag } from '../common.ts'
import { FIELD_LIMITS } from '../limits.ts'
import { ShareScope } from '../sharing.ts'

const urlError = 'send the URL of a link or an invite'
const fieldsError = 'send at least one of summary, transcript, audio, action_items'

export const ClaimCreate = z
  .object(
    { url: z.string({ error: urlError }).min(1, urlError).max(FIELD_LIMITS.shareUrl, urlError) },
    { error: 'send a JSON object with the URL' }
  )
  .meta({ id: 'ClaimCreate' })

export const Claimed = z.object({ owner_id: z.string(), session_id: z.string(), session_url: z.string() }).meta({ id: 'Claimed' })

export const ShareScopePatch = z
  .object({ summary: flag, transcript: flag, audio: flag, action_items: flag }, { error: fieldsError })
  .partial()
  .refine(patch => Object.values(patch).some(value => value !== undefined), fieldsError)
  .meta({ id: 'ShareScopePatch', minProperties: 1 })
export type ShareScopePatch = z.infer<typeof ShareScopePatch>

export const SessionShareScope = z.object({ session_id: z.string(), scope: ShareScope }).meta({ id: 'SessionShareScope' })
