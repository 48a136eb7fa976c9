import { z } from 'zod'
import { LIMITS } from './limits.ts'

/** The names of the quotas: of what a user may have or create so much. */
export const QUOTA_NAMES = ['bytes_stored', 'sessions_per_day', 'folders', 'people'] as const
export type QuotaName = (typeof QUOTA_NAMES)[number]

/** The limit of each quota. 0 is no limit. */
export type Quotas = Readonly<Record<QuotaName, number>>

const use = {
  used: z.number(),
  limit: z.number().nullable().meta({ description: 'Null without a limit.' })
}
const ownedUse = {
  ...use,
  is_default: z.boolean().meta({ description: "Whether the limit is the server's default, not this user's own." })
}

const WORDS: Record<QuotaName, string> = {
  bytes_stored: 'Bytes of stored recordings and transcripts.',
  sessions_per_day: 'Sessions that were created since 00:00 UTC.',
  folders: 'Folders.',
  people: 'People, each merged person counted once.'
}

/** Makes a value for each quota. */
export function eachQuota<T>(make: (name: QuotaName) => T): Record<QuotaName, T> {
  return {
    bytes_stored: make('bytes_stored'),
    sessions_per_day: make('sessions_per_day'),
    folders: make('folders'),
    people: make('people')
  }
}

export const AccountQuotas = z
  .object({
    ...eachQuota(name => z.object(use).meta({ description: WORDS[name] })),
    open_uploads: z
      .object({ limit: z.number() })
      .meta({ description: 'Uploads that one server receives at once. Another one is refused with 503.' })
  })
  .meta({ id: 'AccountQuotas' })
export type AccountQuotas = z.infer<typeof AccountQuotas>

export const UserQuotas = z
  .object(eachQuota(name => z.object(ownedUse).meta({ description: WORDS[name] })))
  .meta({ id: 'UserQuotas' })
export type UserQuotas = z.infer<typeof UserQuotas>

const limitError = 'a whole number from 0, where 0 is no limit, or null for the default of the server'
const limit = z
  .int(limitError)
  .min(0, limitError)
  .max(Number.MAX_SAFE_INTEGER, limitError)
  .nullable()
  .meta({ description: 'Null is the default of the server, 0 no limit.' })

export const QuotaChange = z
  .object(
    eachQuota(() => limit),
    `an object with any of ${QUOTA_NAMES.join(', ')}`
  )
  .partial()
  .meta({ id: 'QuotaChange', description: 'The limits of this user to change.' })
export type QuotaChange = z.infer<typeof QuotaChange>

export const ACCOUNT_QUOTAS_EXAMPLE: AccountQuotas = {
  bytes_stored: { used: 4_831_838_208, limit: LIMITS.quotas.bytes_stored },
  sessions_per_day: { used: 6, limit: LIMITS.quotas.sessions_per_day },
  folders: { used: 14, limit: LIMITS.quotas.folders },
  people: { used: 57, limit: LIMITS.quotas.people },
  open_uploads: { limit: LIMITS.openUploads.perOwner }
}

export const USER_QUOTAS_EXAMPLE: UserQuotas = {
  bytes_stored: { used: 4_831_838_208, limit: 214_748_364_800, is_default: false },
  sessions_per_day: { ...ACCOUNT_QUOTAS_EXAMPLE.sessions_per_day, is_default: true },
  folders: { ...ACCOUNT_QUOTAS_EXAMPLE.folders, is_default: true },
  people: { ...ACCOUNT_QUOTAS_EXAMPLE.people, is_default: true }
}
