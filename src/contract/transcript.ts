import { z } from 'zod'
import { queryOneOf, sentOnce, timestamp, warnings } from './common.ts'
import { TranscriptLine } from './transcript-change.ts'

/** The files that a transcript can be read as, with their media types. */
export const TRANSCRIPT_TYPES = {
  txt: 'text/plain',
  md: 'text/markdown',
  vtt: 'text/vtt',
  srt: 'application/x-subrip'
} as const
export type TranscriptFormat = keyof typeof TRANSCRIPT_TYPES

const FORMATS = Object.keys(TRANSCRIPT_TYPES) as [TranscriptFormat, ...TranscriptFormat[]]

export const transcriptFormat = z
  .enum(FORMATS, { error: `one of ${FORMATS.join(', ')}` })
  .meta({ description: 'The format of the file.', examples: ['txt'] })

export const TranscriptFile = {
  content: Object.fromEntries(Object.values(TRANSCRIPT_TYPES).map(type => [type, { schema: z.string() }]))
}

/** For the descriptions of both transcripts, own and shared. */
export const FILE_BY_ACCEPT = `Send an Accept header of ${Object.values(TRANSCRIPT_TYPES).join(', ')} to get that file instead.`
export const ABOUT_FILES =
  'Text, Markdown, WebVTT or SubRip. Captions last at most 7 seconds and have at most 84 characters. Captions of a source without times answer `conflict`.'

const secondsError = 'a number of seconds, such as 90 or 12.5'

/** A query parameter that holds seconds from the start of the recording. */
function seconds(description: string) {
  return z
    .string(sentOnce(secondsError))
    .regex(/^\d{1,9}(?:\.\d{1,9})?$/, secondsError)
    .transform(Number)
    .optional()
    .meta({ type: 'number', pattern: undefined, minimum: 0, description, examples: [90] })
}

export const TranscriptRange = z
  .object({
    start: seconds('Leaves out segments that end before this time, in seconds.'),
    end: seconds('Leaves out segments that start at this time or later, in seconds.')
  })
  .refine(({ start = 0, end = Number.POSITIVE_INFINITY }) => start < end, {
    path: ['end'],
    error: 'a time after start'
  })
export type TranscriptRange = z.infer<typeof TranscriptRange>

/** A query of a transcript as JSON. */
export const TranscriptQuery = TranscriptRange.safeExtend({
  original: queryOneOf(['true', 'false'])
    .optional()
    .meta({ description: 'With `true`, the transcript as it was before its text was first corrected.' }),
  lines: queryOneOf(['true', 'false']).optional().meta({
    description: 'With `true`, the answer also has `lines`: each line with its index, whether it has times or not.'
  })
})

const TranscriptSegment = z
  .object({
    speaker: z.string(),
    start: z.number().meta({ description: 'Seconds from the start of the recording.' }),
    end: z.number(),
    text: z.string(),
    edited_at: timestamp
      .optional()
      .meta({ description: 'When somebody last corrected the line. Absent if nobody has.' })
  })
  .meta({ id: 'Segment' })

export const TranscriptResponse = z
  .object({
    id: z.string(),
    transcript: z
      .string()
      .meta({ description: 'The conversation as text: one line per turn, starting with its speaker.' }),
    segments: z.array(TranscriptSegment).optional().meta({ description: 'Absent if the source has no times.' }),
    version: z.int().meta({
      description:
        'The version of the transcript, which each change raises and a correction names in `If-Match`. 0 without a transcript.'
    }),
    lines: z.array(TranscriptLine).optional().meta({ description: 'Present with `lines=true` in the query only.' }),
    warnings
  })
  .meta({ id: 'TranscriptResponse' })
export type TranscriptResponse = z.infer<typeof TranscriptResponse>

interface Times {
  start: number | null
  end: number | null
}

/**
 * Gives each turn its times and puts turns into the order of their starts. A turn without a start lies between its neighbours, in proportion to
 * the texts. A turn without an end lasts until the next one starts; the last one ends at its start. Without any start there are no times.
 */
export function withTimes<T extends Times & { text: string }>(turns: readonly T[]): T[] {
  const sorted = withStarts(turns).toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0))
  return sorted.map((turn, index) => {
    if (turn.start === null || turn.end !== null) return turn
    return { ...turn, end: Math.max(turn.start, sorted[index + 1]?.start ?? turn.start) }
  })
}

/** Shares the time between two known starts by the lengths of the texts. Nothing is known of what follows the last one. */
function withStarts<T extends Times & { text: string }>(turns: readonly T[]): T[] {
  const known = turns.flatMap(({ start }, index) => (start === null ? [] : [index]))
  if (known.length === 0 || known.length === turns.length) return [...turns]
  const timed = [...turns]
  for (const [at, to] of [...known, turns.length].entries()) fillBetween(timed, known[at - 1] ?? -1, to)
  return timed
}

function fillBetween<T extends Times & { text: string }>(turns: T[], before: number, after: number) {
  const previous = turns[before]
  const next = turns[after]?.start ?? Number.POSITIVE_INFINITY
  const start = Math.min(previous?.end ?? previous?.start ?? 0, next)
  const end = Number.isFinite(next) ? next : start
  // The turn before has no known end, so its text takes a share of the time, too.
  const first = previous && previous.end === null ? before : before + 1
  const total = turns.slice(first, after).reduce((sum, { text }) => sum + text.length, 0)
  let length = 0
  for (let index = first; index < after; index++) {
    const turn = turns[index]
    if (!turn) continue
    const share = total === 0 ? 0 : length / total
    if (index > before) turns[index] = { ...turn, start: Math.round((start + (end - start) * share) * 1_000) / 1_000 }
    length += turn.text.length
  }
}
