import { z } from 'zod'

export const RETENTION_NAMES = ['audio_days', 'session_days'] as const
type RetentionName = (typeof RETENTION_NAMES)[number]

const MAX_DAYS = 36_500

/** The days for which recordings and sessions are kept. Null is for ever. */
export type Retention = Record<RetentionName, number | null>

const kept = z.number().nullable()

export const AccountRetention = z
  .object({
    audio_days: kept.meta({ description: 'The days for which a recording is kept. Null means for ever.' }),
    session_days: kept.meta({ description: 'The days for which a session is kept. Null means for ever.' })
  })
  .meta({
    id: 'AccountRetention',
    description:
      'What the server deletes by age, counted from the time when it received it. Sessions and folders with `keep` are exempt.'
  })

export const UserRetention = z
  .object({ audio_days: kept, session_days: kept })
  .meta({ id: 'UserRetention', description: "The user's own shorter periods. Null means that of the server." })

const daysError = `a whole number of days from 1 to ${MAX_DAYS}, or null for the period of the server`
const days = z.int(daysError).min(1, daysError).max(MAX_DAYS, daysError).nullable()

export const RetentionChange = z
  .object({ audio_days: days, session_days: days }, `an object with any of ${RETENTION_NAMES.join(', ')}`)
  .partial()
  .meta({
    id: 'RetentionChange',
    description:
      'Shorter periods of this user. Null takes that of the server again; a longer one than the server has is refused.'
  })
export type RetentionChange = z.infer<typeof RetentionChange>

export const RETENTION_EXAMPLE: Retention = { audio_days: 30, session_days: null }
