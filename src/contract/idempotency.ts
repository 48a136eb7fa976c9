import { z } from 'zod'
import { LIMITS } from './limits.ts'

const keyError = '1 to 255 characters of ASCII without spaces, such as a UUID'

/** The headers of a route that makes something. */
export const IdempotencyHeaders = z.looseObject({
  'idempotency-key': z
    .string(keyError)
    .regex(/^[!-~]{1,255}$/, keyError)
    .optional()
    .meta({
      description: `A key of your own for this request. Sent again with the same request within ${LIMITS.idempotencyHours} hours, it returns the first answer with \`Idempotent-Replayed: true\` and does nothing.`
    })
})
