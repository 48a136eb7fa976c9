import { z } from 'zod'
import { changeOf, flag, pageCursor, pageEnd, pageLimit, pathId, sentOnce, timestamp, warnings } from '../common.ts'
import { emailAddress } from '../email.ts'
import { FIELD_LIMITS } from '../limits.ts'
import { QuotaChange, UserQuotas } from '../quotas.ts'
import { RetentionChange, UserRetention } from '../retention.ts'
import { isBlank } from '../text.ts'

export const UserPath = z.object({
  user_id: pathId('The id of the user on whose behalf the request acts.', 'usr_01m7x1q4t8f0kr8y2sdc4n6vqe')
})

const nameError = `1 to ${FIELD_LIMITS.userName} characters`
const zoneError = 'an IANA time zone such as Europe/Berlin'
const callerError = 'a telephone number with its country, such as +12025550123'

/** A name that fits on one line. */
export const shortName = z
  .string({ error: nameError })
  .trim()
  .min(1, nameError)
  .max(FIELD_LIMITS.userName, nameError)
  .refine(name => !/\p{Cc}/u.test(name) && !isBlank(name), nameError)
  .meta({ examples: ['Ada Lovelace'] })

export const timeZone = z
  .string({ error: zoneError })
  .max(FIELD_LIMITS.timeZone, zoneError)
  .refine(isTimeZone, zoneError)
  .overwrite(canonicalZone)
  .meta({ description: 'The time zone in which due dates in words are read.', examples: ['Europe/Berlin'] })

export const callerId = z
  .string({ error: callerError })
  .regex(/^\+[1-9]\d{6,14}$/, callerError)
  .meta({
    description: 'The number that receives inbound calls. Send it only after verifying that the user owns it.',
    examples: ['+12025550123']
  })

function isTimeZone(name: string) {
  return canonicalZone(name) !== ''
}

/** Returns the canonical name of the zone, or an empty string for an unknown one. */
function canonicalZone(name: string) {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return ''
  }
}

export const User = z
  .object({
    id: z.string().meta({ examples: ['usr_01m7x1q4t8f0kr8y2sdc4n6vqe'] }),
    email: z.string().nullable(),
    name: z.string().nullable(),
    time_zone: z.string(),
    email_verified: z
      .boolean()
      .meta({ description: 'Whether the user is known to own the address. Sharing needs a verified address.' }),
    guest: z.boolean().meta({
      description:
        'True for a mailbox that opened an invite and has not signed in by mail. It reads what is shared with it, and nothing else.'
    }),
    operator: z.boolean().meta({ description: 'Whether the user sees the pages for operators in the console.' }),
    subscription_active: z.boolean(),
    verified_caller_id: z.string().nullable(),
    quotas: UserQuotas,
    retention: UserRetention,
    created_at: timestamp,
    warnings
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof User>

export const UserDeleted = z.object({ id: z.string(), deleted: z.boolean() }).meta({ id: 'UserDeleted' })

const fields = {
  email: emailAddress.nullable().meta({ description: 'A new address is unverified. Null removes the address.' }),
  name: shortName.nullable(),
  time_zone: timeZone,
  email_verified: flag,
  operator: flag.meta({
    description:
      'Shows the user the pages for operators in the console: all users, failed sessions and the state of the server.'
  }),
  subscription_active: flag,
  verified_caller_id: callerId.nullable(),
  quotas: QuotaChange,
  retention: RetentionChange
}
const bodyError = 'a JSON object with the fields of the user'

export const UserCreate = z.object(fields, bodyError).partial().meta({ id: 'UserCreate' })
export type UserCreate = z.infer<typeof UserCreate>

export const UserPatch = changeOf('UserPatch', fields, bodyError, `at least one of ${Object.keys(fields).join(', ')}`)

/** The fields that users change of themselves. */
export const ProfileChange = z
  .object({ name: shortName.nullable(), time_zone: timeZone, retention: RetentionChange })
  .partial()
export type ProfileChange = z.infer<typeof ProfileChange>

const SEARCH_ERROR = `1 to ${FIELD_LIMITS.userName} characters`

export const UserListQuery = z.object({
  email: emailAddress.optional().meta({ description: 'Returns only the user with this address.' }),
  search: z
    .string(sentOnce(SEARCH_ERROR))
    .trim()
    .min(1, SEARCH_ERROR)
    .max(FIELD_LIMITS.userName, SEARCH_ERROR)
    .optional()
    .meta({ description: 'Returns only users whose name or address contains this text, in any case.' }),
  cursor: pageCursor.optional(),
  limit: pageLimit(FIELD_LIMITS.usersPage, 'The maximum number of users to return.')
})

export const UserList = z
  .object({
    users: z.array(User),
    ...pageEnd(z.string())
  })
  .meta({ id: 'UserList' })
export type UserListQuery = z.infer<typeof UserListQuery>
export type UserList = z.infer<typeof UserList>
