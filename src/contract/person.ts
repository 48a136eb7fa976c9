import { z } from 'zod'
import {
  CURSOR_ERROR,
  flag,
  nameToFind,
  optionalPageEnd,
  pageEnd,
  pageLimit,
  pathId,
  personIdOrMe,
  queryOneOf,
  sentOnce,
  timestamp,
  visible,
  warnings,
  wholeNumber
} from './common.ts'
import { instantOrDay } from './day-or-instant.ts'
import { isInstant } from './instant.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'
import { SESSION_TYPES, SessionListItem } from './session.ts'
import { oneLine } from './text.ts'

export const MATCHED_BY = ['voice', 'name', 'manual'] as const
export type MatchedBy = (typeof MATCHED_BY)[number]

/** The parameters of a path. */
export const personId = pathId('The id of the person, or `me`.', 'per_01m7x5r8n3k2vfd9w0c6ty4hbs')

export const Person = z
  .object({
    id: z.string().meta({ examples: ['per_01m7x5r8n3k2vfd9w0c6ty4hbs'] }),
    name: z.string().meta({ examples: ['Ada Lovelace'] }),
    is_me: z.boolean().meta({ description: 'Whether this person is you.' }),
    recording_count: z.number().meta({ description: 'The number of listed sessions in which this person speaks.' }),
    last_heard_at: timestamp
      .nullable()
      .meta({ description: 'When the newest of these sessions took place. Null without one.' }),
    warnings
  })
  .meta({ id: 'Person' })
export type Person = z.infer<typeof Person>

export const PersonList = z
  .object({
    people: z.array(Person).meta({ description: 'You come first, then the people who spoke most recently.' }),
    ...optionalPageEnd
  })
  .meta({ id: 'PersonList' })
export type PersonList = z.infer<typeof PersonList>

const pageSize = LIMITS.peoplePage
const cursorError = `${CURSOR_ERROR}, unchanged`

const isHeard = (at: string) => at === 'none' || isInstant(at)

export const PeopleQuery = z.object({
  limit: wholeNumber(1, pageSize.max)
    .optional()
    .meta({
      description: `The maximum number of people to return. Default: everyone, or ${pageSize.default} with \`cursor\`.`
    }),
  cursor: z
    .string(sentOnce(cursorError))
    .max(FIELD_LIMITS.cursor, cursorError)
    .refine(
      sent => sent === 'me' || (/^[^_]+_\w{1,64}$/.test(sent) && isHeard(sent.slice(0, sent.indexOf('_')))),
      cursorError
    )
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page.' })
})
export type PeopleQuery = z.output<typeof PeopleQuery>

export const PersonSession = SessionListItem.omit({ access: true })
  .extend({
    talk_seconds: z.number().meta({ description: 'Speaking time in seconds. 0 if the transcript has no times.' }),
    name_in_session: z.string().meta({ description: 'The name of this person in the transcript.' }),
    matched_by: z.enum(MATCHED_BY).meta({ description: 'How the person was recognised.' }),
    top_lines: z.array(z.string()).meta({ description: 'The three longest turns, longest first.' })
  })
  .meta({ id: 'PersonSession' })
export type PersonSession = z.infer<typeof PersonSession>

export const PersonSessionsQuery = z.object({
  limit: pageLimit(LIMITS.personPage, 'The maximum number of sessions to return.'),
  cursor: instantOrDay
    .optional()
    .meta({ description: 'Returns sessions before this instant: the `next_cursor` of the previous page.' }),
  type: queryOneOf(SESSION_TYPES).optional().meta({ description: 'Returns only sessions of this type.' }),
  from: instantOrDay.optional().meta({ description: 'Returns sessions at or after this instant.' }),
  to: instantOrDay.optional().meta({ description: 'Returns sessions before this instant.' })
})
export type PersonSessionsQuery = z.output<typeof PersonSessionsQuery>

export const PersonSessionList = z
  .object({
    person: Person,
    sessions: z.array(PersonSession),
    ...pageEnd(timestamp)
  })
  .meta({ id: 'PersonSessionList' })
export type PersonSessionList = z.infer<typeof PersonSessionList>

export const personName = visible(FIELD_LIMITS.personName, 'name', oneLine).meta({ examples: ['Ada Lovelace'] })

const isMe = flag.meta({ description: 'Whether this person is the user.' })

export const PersonCreate = z
  .object({ name: personName, is_me: isMe.default(false) }, { error: 'a JSON object with the name of the person' })
  .meta({ id: 'PersonCreate' })
export type PersonCreate = z.output<typeof PersonCreate>

export const PersonPatch = z
  .object({ name: personName.optional(), is_me: isMe.optional() }, { error: 'a JSON object with name, is_me or both' })
  .refine(({ name, is_me }) => name !== undefined || is_me !== undefined, {
    path: ['name'],
    error: 'name, is_me or both'
  })
  .meta({ id: 'PersonPatch' })
export type PersonPatch = z.output<typeof PersonPatch>

export const PersonMerge = z
  .object(
    { into: personIdOrMe.meta({ description: 'The remaining person: an id, or `me`.' }) },
    { error: 'a JSON object with the person to merge into' }
  )
  .meta({ id: 'PersonMerge' })
export type PersonMerge = z.output<typeof PersonMerge>

const segmentsError = 'a list of indexes of segments, counted from 0'
const swapError = 'a list of two speakers of the transcript'

const speakerLabel = nameToFind('a speaker of the transcript').overwrite(oneLine)

export const SpeakerChange = z
  .object(
    {
      from: speakerLabel
        .optional()
        .meta({ description: 'The speaker in the transcript, in any case.', examples: ['Speaker 1'] }),
      name: personName.nullable().optional().meta({
        description:
          'The name of the person who speaks. A new name creates a person. Null if nobody knows who speaks: the transcript then has a neutral label.'
      }),
      person_id: personIdOrMe.optional().meta({ description: 'Instead of a name, the person: an id, or `me`.' }),
      segments: z
        .array(z.int({ error: segmentsError }).min(0, segmentsError), { error: segmentsError })
        .min(1, segmentsError)
        .max(LIMITS.bodyValues, segmentsError)
        .optional()
        .meta({
          description: 'Corrects only these segments: indexes into `segments` of the whole transcript, counted from 0.'
        }),
      swap: z
        .array(speakerLabel, { error: swapError })
        .length(2, swapError)
        .optional()
        .meta({
          description: 'Two speakers of the transcript that were mistaken for each other. Send it alone.',
          examples: [['Ada', 'Ben']]
        })
    },
    { error: 'a JSON object with from and name or person_id, or with swap' }
  )
  .superRefine(({ from, name, person_id: id, segments, swap }, context) => {
    const others = Object.entries({ from, name, person_id: id, segments }).find(([, sent]) => sent !== undefined)
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    if (swap && others) refuse(others[0], 'swap alone, or leave it out')
    else if (swap) return
    else if (from === undefined) refuse('from', 'a speaker of the transcript')
    else if ((id === undefined) === (name === undefined)) refuse('name', 'either name or person_id')
  })
  .meta({ id: 'SpeakerChange' })
export type SpeakerChange = z.output<typeof SpeakerChange>

const { talk_seconds, name_in_session, matched_by, top_lines } = PersonSession.shape

export const SessionPeople = z
  .object({
    session_id: z.string(),
    people: z
      .array(z.object({ person: Person, talk_seconds, name_in_session, matched_by, top_lines }))
      .meta({ description: 'The people in the session, by speaking time, longest first.' })
  })
  .meta({ id: 'SessionPeople' })
export type SessionPeople = z.infer<typeof SessionPeople>
