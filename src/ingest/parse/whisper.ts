import { z } from 'zod'
import { languageCode } from '../../core/language-code.ts'
import { type ParsedTranscript, UnreadableTranscript } from './transcript.ts'
import { lastEnd, segmentsOf, type Turn } from './turns.ts'

const seconds = z.number().nonnegative()
const speaker = z.union([z.string(), z.number().transform(index => `Speaker ${index}`)]).nullish()
const Said = z.object({ start: seconds.nullish(), end: seconds.nullish(), text: z.string(), speaker })
const SaidByOffset = z.object({ offsets: z.object({ from: seconds, to: seconds }).nullish(), text: z.string(), speaker })
const Output = z.object({
  text: z.string().nullish(),
  language: z.string().nullish(),
  duration: z.coerce.number().nonnegative().nullish().catch(null),
  segments: z.array(z.unknown()).nullish(),
  transcription: z.array(z.unknown()).nullish(),
  result: z.object({ language: z.string().nullish() }).nullish()
})

// Keys that an import document may have and the output of Whisper never has.
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

/** Whether parsed JSON is what Whisper, whisper.cpp or WhisperX writes. */
export function isWhisper(json: unknown) {
  if (typeof json !== 'object' || json === null || FOREIGN_KEYS.some(key => key in json)) return false
  if ('transcription' in json || 'word_segments' in json || ('text' in json && typeof json.text === 'string')) return true
  if (!('segments' in json) || !Array.isArray(json.segments)) return false
  const first: unknown = json.segments[0]
  return typeof first === 'object' && first !== null && SEGMENT_MARKS.some(mark => mark in first)
}

export function parseWhisper(json: unknown): ParsedTranscript {
  const output = read(Output, json, [])
  const turns = output.transcription ? output.transcription.map(byOffset) : (output.segments ?? []).map(bySeconds)
  const untimed: Turn = { speaker: null, start: null, end: null, text: output.text ?? '' }
  const segments = segmentsOf(turns.length > 0 ? turns : [untimed])
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

// One entry at a time: an array schema would collect a fault for each of a million bad ones.
function read<T extends z.ZodType>(schema: T, value: unknown, path: PropertyKey[]): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [fault] = result.error.issues
  throw new UnreadableTranscript(`${[...path, ...(fault?.path ?? [])].join('.') || 'The file'}: ${fault?.message ?? 'not Whisper output'}.`)
}
