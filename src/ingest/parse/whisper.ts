import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { languageCode } from '../../core/language-code.ts'
import { remedyFor } from '../../core/remedy.ts'
import { lastEnd, type ParsedTranscript, type Turn, toSegments, UnreadableTranscript } from './transcript.ts'

const seconds = z.number().nonnegative().max(LIMITS.recordingSeconds)
const milliseconds = z
  .number()
  .nonnegative()
  .max(LIMITS.recordingSeconds * 1000)
const speaker = z.union([z.string(), z.number().transform(index => `Speaker ${index}`)]).nullish()
const Said = z.object({ start: seconds.nullish(), end: seconds.nullish(), text: z.string(), speaker })
const SaidByOffset = z.object({
  offsets: z.object({ from: milliseconds, to: milliseconds }).nullish(),
  text: z.string(),
  speaker
})
const Output = z.object({
  text: z.string().nullish(),
  language: z.string().nullish(),
  duration: z.coerce.number().nonnegative().max(LIMITS.recordingSeconds).nullish().catch(null),
  segments: z.array(z.unknown()).nullish(),
  transcription: z.array(z.unknown()).nullish(),
  result: z.object({ language: z.string().nullish() }).nullish()
})

// Keys of import documents that Whisper never writes.
const FOREIGN_KEYS = [
  'external_id',
  'title',
  'timestamp',
  'type',
  'media',
  'action_items',
  'speakers',
  'summary',
  'notes',
  'tags',
  'folders',
  'phone'
]
const SEGMENT_MARKS = ['seek', 'tokens', 'avg_logprob', 'words']

/** Returns whether the JSON was written by Whisper, whisper.cpp or WhisperX. */
export function isWhisper(json: unknown) {
  if (typeof json !== 'object' || json === null || FOREIGN_KEYS.some(key => key in json)) return false
  if ('transcription' in json || 'word_segments' in json || ('text' in json && typeof json.text === 'string'))
    return true
  if (!('segments' in json) || !Array.isArray(json.segments)) return false
  const first: unknown = json.segments[0]
  return typeof first === 'object' && first !== null && SEGMENT_MARKS.some(mark => mark in first)
}

export function parseWhisper(json: unknown): ParsedTranscript {
  const output = read(Output, json, [])
  const turns = output.transcription ? output.transcription.map(byOffset) : (output.segments ?? []).map(bySeconds)
  const untimed: Turn = { speaker: null, start: null, end: null, text: output.text ?? '' }
  const segments = toSegments(turns.length > 0 ? turns : [untimed])
  const language = languageCode(output.language ?? output.result?.language ?? null)
  return { segments, language, durationSeconds: output.duration ?? lastEnd(segments) }
}

function bySeconds(entry: unknown, index: number): Turn {
  const { start, end, ...said } = read(Said, entry, ['segments', index])
  return { start: start ?? null, end: end ?? null, text: said.text, speaker: said.speaker ?? null }
}

function byOffset(entry: unknown, index: number): Turn {
  const { offsets, ...said } = read(SaidByOffset, entry, ['transcription', index])
  return {
    start: offsets ? offsets.from / 1000 : null,
    end: offsets ? offsets.to / 1000 : null,
    text: said.text,
    speaker: said.speaker ?? null
  }
}

// Entries are parsed one by one: an array schema would collect an error for each of a million invalid ones.
function read<T extends z.ZodType>(schema: T, value: unknown, path: PropertyKey[]): z.output<T> {
  const result = schema.safeParse(value, { error: remedyFor })
  if (result.success) return result.data
  const [error] = result.error.issues
  throw new UnreadableTranscript(
    `${[...path, ...(error?.path ?? [])].join('.') || 'The file'}: ${error?.message ?? 'not Whisper output'}.`
  )
}
