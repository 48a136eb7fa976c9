import { z } from 'zod'
import { integer, timestamp, visible, warnings } from './common.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'
import { oneLine } from './text.ts'

const secondsError = `a number of seconds from 0 to ${LIMITS.recordingSeconds}`
const seconds = z.number({ error: secondsError }).nonnegative(secondsError).max(LIMITS.recordingSeconds, secondsError)
const max = LIMITS.correctedLines
const linesError = `a list of 1 to ${max} lines, each with its index and what to change`

const LineChange = z
  .object(
    {
      index: integer(0, FIELD_LIMITS.entries, 'the index of a line, counted from 0').meta({
        description: 'The line: its index in `segments` or `lines` of the whole transcript, counted from 0.'
      }),
      text: visible(FIELD_LIMITS.segmentText)
        .nullable()
        .optional()
        .meta({ description: 'What was said. Null removes the line.' }),
      speaker: visible(FIELD_LIMITS.personName, 'name', oneLine)
        .optional()
        .meta({ description: 'The speaker of this line. A name of a known person makes it theirs.' }),
      start: seconds.optional().meta({ description: 'Seconds. Lines are kept in the order of their starts.' }),
      end: seconds.optional()
    },
    { error: 'an object with the index of a line and what to change' }
  )
  .superRefine(({ index: _, ...change }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    const [first] = Object.entries(change).filter(([field, value]) => field !== 'text' && value !== undefined)
    if (change.text === undefined && !first) refuse('text', 'text, speaker, start or end')
    else if (change.text === null && first) refuse(first[0], 'no other field with a line that is removed')
  })
export type LineChange = z.output<typeof LineChange>

export const TranscriptChange = z
  .object(
    {
      segments: z
        .array(LineChange, { error: linesError })
        .min(1, linesError)
        .max(max, linesError)
        .meta({ description: `The lines to change, each once. Indexes are those before the change.` })
    },
    { error: 'a JSON object with segments' }
  )
  .meta({ id: 'TranscriptChange' })
export type TranscriptChange = z.output<typeof TranscriptChange>

/** A line of a transcript with its place, which changes of the transcript name. */
export const TranscriptLine = z
  .object({
    index: z.int().meta({ description: 'Its place in the whole transcript, counted from 0.' }),
    speaker: z.string(),
    start: z.number().optional().meta({ description: 'Seconds. Absent if the source has no times.' }),
    end: z.number().optional(),
    text: z.string(),
    edited_at: timestamp
      .optional()
      .meta({ description: 'When the line was last corrected, by somebody or by a term. Absent if it never was.' })
  })
  .meta({ id: 'TranscriptLine' })
export type TranscriptLine = z.infer<typeof TranscriptLine>

export const TranscriptChanged = z
  .object({
    id: z.string(),
    version: z.int().meta({ description: 'The version of the transcript after the change.' }),
    updated_at: timestamp.meta({ description: '`updated_at` of the session.' }),
    lines: z
      .array(TranscriptLine)
      .meta({ description: 'The changed lines as they are now, with their new indexes. Removed lines are absent.' }),
    warnings
  })
  .meta({ id: 'TranscriptChanged' })
export type TranscriptChanged = z.infer<typeof TranscriptChanged>
