import { z } from 'zod'
import { changeOf, flag, warnings } from '../common.ts'
import { FIELD_LIMITS } from '../limits.ts'
import { ShareScope } from '../sharing.ts'

const urlError = 'the URL of a link or an invite'

export const ClaimCreate = z
  .object(
    { url: z.string({ error: urlError }).min(1, urlError).max(FIELD_LIMITS.shareUrl, urlError) },
    { error: 'a JSON object with the URL' }
  )
  .meta({ id: 'ClaimCreate' })
export type ClaimCreate = z.output<typeof ClaimCreate>

export const Claimed = z
  .object({ owner_id: z.string(), session_id: z.string(), session_url: z.string(), warnings })
  .meta({ id: 'Claimed' })
export type Claimed = z.infer<typeof Claimed>

const fields = { summary: flag, transcript: flag, audio: flag, action_items: flag }

export const ShareScopePatch = changeOf('ShareScopePatch', fields, `at least one of ${Object.keys(fields).join(', ')}`)
export type ShareScopePatch = z.output<typeof ShareScopePatch>

export const SessionShareScope = z
  .object({ session_id: z.string(), scope: ShareScope, warnings })
  .meta({ id: 'SessionShareScope' })
export type SessionShareScope = z.infer<typeof SessionShareScope>
