import { z } from 'zod'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { SpeakerChange } from '../../../contract/person.ts'
import { correctSpeaker } from '../../../features/people/correct-speaker.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { type Console, NONE } from '../open-console.ts'
import { momentAt, SessionParams, toPanel } from '../session-address.ts'

const Speaker = z.object({
  from: z.string(),
  name: z.string().default(''),
  nobody: z.string().optional(),
  /** The place of the line that the form is about, and its second. Absent for all that the speaker says. */
  line: z.coerce.number().int().min(0).max(FIELD_LIMITS.entries).optional(),
  at: z.coerce.number().int().min(0).max(LIMITS.recordingSeconds).optional(),
  all: z.literal('on').optional()
})

/** Names who speaks: in all that has a label, or in one line of it. */
export function sessionSpeakers({ services, user }: Console) {
  const shapes = { ...NONE, params: SessionParams, body: Speaker }
  user.form('/s/:id/speakers', shapes, async ({ visitor }, { params: { id }, body }) => {
    const { from, name, nobody, line, at, all } = body
    const change = readShape(
      SpeakerChange,
      {
        from,
        name: nobody === undefined ? name : null,
        ...(line !== undefined && all === undefined && { segments: [line] })
      },
      'body'
    )
    await correctSpeaker(services, visitor.actor, id, change)
    if (line === undefined) return toPanel(id, 'speakers')
    return { to: momentAt(id, at) }
  })
}
