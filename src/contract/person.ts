import { z } from 'zod'
import { once, timestamp, wholeNumber } from './common.ts'
import { LIMITS } from './limits.ts'
import { instant, SESSION_TYPES, SessionListItem } from './session.ts'

export const MATCHED_BY = ['voice', 'name', 'manual'] as const
export type MatchedBy = (typeof MATCHED_BY)[number]

export const Person = z
  .object({
    id: z.string().meta({ examples: ['per_01m7x5r8n3k2vfd9w0c6ty4hbs'] }),
    name: z.string().meta({ examples: ['Ada Lovelace'] }),
    is_me: z.boolean().meta({ description: 'Whether this person is you.' }),
    recording_count: z.number().meta({ description: 'The number of listed sessions in which this person speaks.' }),
    last_heard_at: timestamp.nullable().meta({ description: 'When the newest of these sessions took place. Null without one.' })
  })
  .meta({ id: 'Person' })
export type Person = z.infer<typeof Person>

export const PersonList = z
  .object({ people: z.array(Person).meta({ description: 'You come first, then the people who spoke most recently.' }) })
  .meta({ id: 'PersonList' })

export const PersonSession = SessionListItem.omit({ access: true })
  .extend({
    talk_seconds: z.number().meta({ description: 'Speaking time in seconds. 0 if the transcript has no times.' }),
    name_in_session: z.string().meta({ description: 'The name of this person in the transcript.' }),
    matched_by: z.enum(MATCHED_BY).meta({ description: 'How the person was recognised.' }),
    top_lines: z.array(z.string()).meta({ description: 'The three longest turns, longest first.' })
  })
  .meta({ id: 'PersonSession' })
export type PersonSession = z.infer<typeof PersonSession>

const { default: usual, max } = LIMITS.personPage

export const PersonSessionsQuery = z.object({
  limit: wholeNumber(1, max)
    .default(usual)
    .meta({ type: 'integer', pattern: undefined, minimum: 1, maximum: max, description: 'The maximum number of sessions to return.' }),
  cursor: instant.optional().meta({ description: 'Returns sessions before this instant: the `next_cursor` of the previous page.' }),
  type: z
    .enum(SESSION_TYPES, once(`send one of ${SESSION_TYPES.join(', ')}`))
    .optional()
    .meta({ description: 'Returns only sessions of this type.' }),
  from: instant.optional().meta({ description: 'Returns sessions at or after this instant.' }),
  to: instant.optional().meta({ description: 'Returns sessions before this instant.' })
})

export const PersonSessionList = z
  .object({
    person: Person,
    sessions: z.array(PersonSession),
    next_cursor: timestamp.nullable().meta({ description: 'Pass it as `cursor` to get the next page. Null on the last page.' }),
    has_more: z.boolean()
  })
  .meta({ id: 'PersonSessionList' })
