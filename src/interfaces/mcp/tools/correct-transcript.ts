import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { TranscriptChange } from '../../../contract/transcript-change.ts'
import { correctTranscript } from '../../../features/corrections/correct-transcript.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { ownConversation, transcriptVersion } from '../arguments.ts'
import { defineTool, SESSION_IDS } from '../tool.ts'

const error = `a list of 1 to ${LIMITS.correctedLines} segments, each with its index and its new text or speaker`
const Segment = z
  .strictObject({ index: z.number(), text: z.string().optional(), speaker: z.string().optional() })
  .refine(({ text, speaker }) => text !== undefined || speaker !== undefined, 'the new text or speaker')

export const correctTranscriptTool = defineTool({
  name: 'correct_transcript',
  title: 'Correct a transcript',
  description: 'Corrects the whole text or the speaker of segments, which get_transcript shows with indexes.',
  operation: 'correctTranscript',
  steps: {
    subject: SESSION_IDS,
    if_version: 'get_transcript with indexes shows the segments and the current if_version'
  },
  input: z.object({ id: ownConversation, segments: z.array(Segment, { error }), if_version: transcriptVersion }),
  output: z.object({ id: z.string(), corrected: z.array(z.number()), if_version: z.number() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async answer({ services, actor }, { id: { id }, segments, if_version: precondition }) {
    const change = readShape(TranscriptChange, { segments }, 'arguments')
    const { version, lines } = await correctTranscript(services, actor, id, change, { precondition })
    const corrected = lines.map(({ index }) => index)
    const what = corrected.length > 0 ? `Corrected segments ${corrected.join(', ')}` : 'Nothing changed'
    return {
      text: `${what} of ${id}. The transcript is at if_version ${version}.`,
      object: { id, corrected, if_version: version }
    }
  }
})
