import { z } from 'zod'
import { getAccount } from '../../../features/accounts/operations.ts'
import { localDay } from '../../../platform/text/calendar-day.ts'
import { NOTICE, quote } from '../answer-text.ts'
import { defineTool } from '../tool.ts'

export const getAccountTool = defineTool({
  name: 'get_account',
  title: 'Read the account',
  description:
    'Reads the name, time zone and today of the user, how much they have stored, and what this assistant may do.',
  operation: 'getAccount',
  input: z.object({}),
  output: z.object({
    name: z.string().optional(),
    time_zone: z.string(),
    today: z.string(),
    session_count: z.number(),
    bytes_stored: z.number(),
    scopes: z.array(z.string())
  }),
  async answer(call) {
    const { services, actor } = call
    const [{ session_count, quotas, token }, { name, timeZone }] = await Promise.all([
      getAccount(services, actor),
      call.user()
    ])
    const { bytes_stored, sessions_per_day, folders, people } = quotas
    const uses = Object.entries({ bytes_stored, sessions_per_day, folders, people })
    const today = localDay(services.clock.now(), timeZone)
    const { scopes } = token
    const lines = [
      NOTICE,
      `${name === null ? 'The user' : quote(name)} has ${session_count} conversations. Today is ${today} in the time zone ${timeZone}.`,
      ...uses.map(([quota, { used, limit }]) => `- ${quota}: ${used}${limit === null ? '' : ` of ${limit}`}`),
      `This assistant has the scopes ${scopes.join(', ')}.`
    ]
    const user = { ...(name !== null && { name }), time_zone: timeZone, today }
    return { text: lines.join('\n'), object: { ...user, session_count, bytes_stored: bytes_stored.used, scopes } }
  }
})
