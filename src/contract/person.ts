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
    is_me: z.boolean().meta({ description: 'Whether this is the owner of the token.' }),
    recording_count: z.number().meta({ description: 'How many of the sessions that the list shows they are in.' }),
    last_heard_at: timestamp.nullable().meta({ description: 'When the newest of them took place; null without one.' })
  })
  .meta({ id: 'Person' })
export type Person = z.infer<typeof Person>

export const PersonList = z
  .object({ people: z.array(Person).meta({ description: 'The owner first, then who was heard last.' }) })
  .meta({ id: 'PersonList' })

export const PersonSession = SessionListItem.omit({ access: true })
  .extend({
    talk_seconds: z.number().meta({ description: 'How long they speak; 0 where the transcript has no times.' }),
    name_in_session: z.string().meta({ description: 'What the transcript calls them.' }),
    matched_by: z.enum(MATCHED_BY).meta({ description: 'How they were recognised.' }),
    top_lines: z.array(z.string()).meta({ description: 'The three longest things they say, the longest first.' })
  })
  .meta({ id: 'PersonSession' })
export type PersonSession = z.infer<typeof PersonSession>

const { default: usual, max } = LIMITS.personPage

export const PersonSessionsQuery = z.object({
  limit: wholeNumber(1, max)
    .default(usual)
    .meta({ type: 'integer', pattern: undefined, minimum: 1, maximum: max, description: 'How many sessions to return.' }),
  cursor: instant.optional().meta({ description: 'Returns sessions older than this instant: the `next_cursor` of the page before.' }),
  type: z
    .enum(SESSION_TYPES, once(`send one of ${SESSION_TYPES.join(', ')}`))
    .optional()
    .meta({ description: 'Returns sessions of this type only.' }),
  from: instant.optional().meta({ description: 'Returns sessions of this instant or newer.' }),
  to: instant.optional().meta({ description: 'Returns sessions older than this instant.' })
})

export const PersonSessionList = z
  .object({
    person: Person,
    sessions: z.array(PersonSession),
    next_cursor: timestamp.nullable().meta({ description: 'Pass it back as `cursor` for the page after this one; null on the last.' }),
    has_more: z.boolean()
  })
  .meta({ id: 'PersonSessionList' })
