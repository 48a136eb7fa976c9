import { z } from 'zod'
import { localInstantOrDay } from '../../../contract/day-or-instant.ts'
import { SESSION_TYPES } from '../../../contract/session.ts'
import { updateSession } from '../../../features/sessions/operations.ts'
import { instantIn } from '../../../platform/text/wall-time.ts'
import { type Console, NONE } from '../open-console.ts'
import { SessionParams, toPanel } from '../session-address.ts'

/** A date that is as the form showed it changes nothing: the session may know it to the second. */
const DateAndType = z.object({
  shown: z.string().max(40).default(''),
  timestamp: z
    .string()
    .transform(text => (text === '' ? undefined : text))
    .pipe(localInstantOrDay.optional())
    .optional(),
  type: z.enum(SESSION_TYPES, { error: `one of ${SESSION_TYPES.join(', ')}` }).optional()
})

/** The target of the form for date and type. */
export function sessionDate({ services, user }: Console) {
  user.form(
    '/s/:id/date',
    { ...NONE, params: SessionParams, body: DateAndType },
    async ({ visitor }, { params: { id }, body: { shown, timestamp, type } }) => {
      const { actor, timeZone } = visitor
      const isKept = timestamp === undefined || timestamp === shown
      const at = isKept ? undefined : instantIn(timestamp, timeZone).toISOString()
      await updateSession(services, actor, id, { timestamp: at, type })
      return toPanel(id, 'about')
    }
  )
}
