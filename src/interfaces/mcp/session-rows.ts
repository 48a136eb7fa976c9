import { z } from 'zod'
import type { SessionListItem } from '../../contract/session.ts'
import { listParticipants } from '../../features/people/list-people.ts'
import { listBriefs } from '../../features/sessions/operations.ts'
import { quote, sessionUrl, shownTime } from './answer-text.ts'
import { localTime } from './period.ts'
import type { Call } from './tool.ts'

const text = z.string()

/** A conversation in a list of programs. */
export const SessionRow = z.object({
  id: text,
  title: text,
  url: text,
  timestamp: text.optional(),
  type: text,
  duration_seconds: z.number().optional(),
  participants: z.array(text).optional(),
  brief: text.optional()
})

type Listed = Pick<SessionListItem, 'id' | 'title' | 'timestamp' | 'type'> &
  Partial<Pick<SessionListItem, 'duration_seconds'>>

/** A conversation as a line of text, and as an object. */
export interface ShownRow {
  line: string
  brief: string | undefined
  object: z.output<typeof SessionRow>
}

/** Title, time, type and length of a conversation. */
export function factsOf(
  { title, timestamp, type, duration_seconds: seconds }: Omit<Listed, 'id'>,
  timeZone: string
): string[] {
  const length = seconds === undefined || seconds === 0 ? [] : [`${shownTime(seconds)} long`]
  return [quote(title), localTime(timestamp, timeZone), type, ...length]
}

/** Shows conversations of a list with their participants, and with the beginnings of their summaries if these are wanted. */
export async function showRows(call: Call, rows: readonly Listed[], brief = false): Promise<ShownRow[]> {
  const { services, actor } = call
  const ids = rows.map(({ id }) => id)
  const mayRead = ids.length > 0 && actor.scopes.has('sessions:read')
  const [participants, briefs, { timeZone }] = await Promise.all([
    mayRead ? listParticipants(services, actor, ids) : undefined,
    mayRead && brief ? listBriefs(services, actor, ids) : undefined,
    call.user()
  ])
  return rows.map(row => {
    const { id, title, timestamp, type, duration_seconds: seconds } = row
    const names = participants?.get(id)
    const url = sessionUrl(services.publicUrl, id)
    const facts = [
      ...factsOf(row, timeZone),
      ...(names ? [`with ${names.map(quote).join(', ')}`] : []),
      `id ${id}`,
      url
    ]
    const beginning = briefs?.get(id)
    const object = {
      id,
      title,
      url,
      ...(timestamp !== null && { timestamp }),
      type,
      ...(seconds !== undefined && { duration_seconds: seconds }),
      ...(names && { participants: names }),
      ...(beginning !== undefined && { brief: beginning })
    }
    return { line: facts.join(', '), brief: beginning, object }
  })
}
