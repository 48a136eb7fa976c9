import { z } from 'zod'
import { idOrName, nameToFind } from '../common.ts'
import { Person, PersonSession, personName } from '../person.ts'
import { oneLine } from '../text.ts'

export const SpeakerCorrection = z
  .object(
    {
      speaker: nameToFind('the speaker as the transcript names them')
        .overwrite(oneLine)
        .meta({ description: 'The speaker label in the transcript, in any case.', examples: ['Speaker 2'] }),
      person_id: idOrName('the id of a person, me, or null for nobody')
        .nullable()
        .optional()
        .meta({ description: 'The person: an id, `me`, or null for an unknown person.' }),
      name: personName
        .optional()
        .meta({ description: 'The name of the person, instead of an id. A new name creates a person.' })
    },
    { error: 'a JSON object with the speaker and who it is' }
  )
  .refine(({ person_id: id, name }) => (id === undefined) !== (name === undefined), 'either person_id or name')
  .meta({ id: 'SpeakerCorrection' })

const { talk_seconds, name_in_session, matched_by, top_lines } = PersonSession.shape

export const SessionPeople = z
  .object({
    session_id: z.string(),
    people: z
      .array(z.object({ person: Person, talk_seconds, name_in_session, matched_by, top_lines }))
      .meta({ description: 'The people in the session, by speaking time, longest first.' })
  })
  .meta({ id: 'SessionPeople' })
