import { z } from 'zod'
import { lastUsedAt, tokenFields } from '../account.ts'
import { integer, timestamp, warnings } from '../common.ts'
import { FIELD_LIMITS, LIMITS } from '../limits.ts'
import { ALL_SCOPES, type Scope } from '../scopes.ts'
import { shortName } from './user.ts'

const { min, max } = LIMITS.tokenSeconds
const expiresError = `a whole number of seconds from ${min} (a minute) to ${max} (a year)`
const scopesError = `a list of at least one of ${ALL_SCOPES.join(', ')}`

export const TokenCreate = z
  .object(
    {
      name: shortName,
      scopes: z
        .array(z.enum(ALL_SCOPES as [Scope, ...Scope[]], { error: scopesError }), { error: scopesError })
        .min(1, scopesError)
        .max(FIELD_LIMITS.listed, scopesError)
        .overwrite(scopes => [...new Set(scopes)]),
      expires_in: integer(min, max, expiresError)
        .default(max)
        .meta({ description: 'The lifetime of the token in seconds. Default: one year.', examples: [2_592_000] })
    },
    { error: 'a JSON object with a name and scopes' }
  )
  .meta({ id: 'TokenCreate' })

export const TokenIssued = z
  .object({
    ...tokenFields,
    token: z.string().meta({ description: 'The token. It is returned only here; the server stores its hash.' }),
    warnings
  })
  .meta({ id: 'TokenIssued' })

const TokenOutline = z
  .object({
    ...tokenFields,
    hint: z.string().meta({ description: 'The first characters of the token.' }),
    last_used_at: lastUsedAt,
    revoked_at: timestamp.nullable()
  })
  .meta({ id: 'TokenOutline' })

export const TokenList = z
  .object({ tokens: z.array(TokenOutline).meta({ description: 'Oldest first.' }) })
  .meta({ id: 'TokenList' })

export const TokenRevoked = z.object({ id: z.string(), revoked: z.boolean() }).meta({ id: 'TokenRevoked' })
export type TokenCreate = z.infer<typeof TokenCreate>
export type TokenIssued = z.infer<typeof TokenIssued>
export type TokenList = z.infer<typeof TokenList>
export type TokenRevoked = z.infer<typeof TokenRevoked>
