import { z } from 'zod'
import type { ParsedTranscript, Turn } from '../transcript.ts'
import { completeTranscript, untimed, withLabels } from '../turns.ts'
import {
  durationField,
  isRecord,
  type JsonRecord,
  millisecondsField,
  objectsOf,
  read,
  readEach,
  secondsField,
  someObjects,
  speaker,
  stringOrNull
} from './fields.ts'
import { joinWords, turnsOfWords, type Word, withPunctuation } from './words.ts'

const Span = z.tuple([secondsField, secondsField]).nullish()
const SaidWord = z.object({
  word: z.string().nullish(),
  text: z.string().nullish(),
  start: secondsField,
  end: secondsField,
  timestamp: Span,
  speaker,
  speaker_id: speaker
})
const Said = z.object({ text: z.string().nullish(), start: secondsField, end: secondsField, timestamp: Span, speaker })
const SaidByOffset = z.object({
  offsets: z.object({ from: millisecondsField, to: millisecondsField }).nullish(),
  timestamps: z.object({ from: secondsField, to: secondsField }).nullish(),
  text: z.string(),
  speaker
})

// Keys of import documents that Whisper never writes.
const FOREIGN_KEYS = [
  'external_id',
  'title',
  'timestamp',
  'type',
  'media',
  'action_items',
  'summary',
  'notes',
  'tags',
  'folders',
  'phone'
]
const SEGMENT_MARKS = ['seek', 'tokens', 'avg_logprob', 'words', 'no_speech_prob']
/** Lists of words, by the tools that write no segments. Vosk calls its list `result`. */
const WORD_LISTS = ['words', 'word_segments', 'result']

/** Whisper, whisper.cpp, WhisperX, faster-whisper, the pipeline of Hugging Face, and OpenAI's API. */
export function readWhisper(json: JsonRecord): ParsedTranscript | null {
  if (FOREIGN_KEYS.some(key => key in json)) return null
  const turns = ofCpp(json) ?? ofSpeakers(json) ?? ofSegments(json) ?? ofChunks(json) ?? ofWords(json) ?? ofText(json)
  return (
    turns &&
    completeTranscript({
      turns: withLabels(joinWords(turns)),
      language: languageOf(json),
      durationSeconds: read(durationField, json.duration)
    })
  )
}

/** whisper.cpp, whose tinydiarize marks the end of a turn in the text. */
function ofCpp({ transcription }: JsonRecord): Turn[] | null {
  const entries = someObjects(transcription)
  if (!entries?.every(entry => 'text' in entry && ('offsets' in entry || 'timestamps' in entry))) return null
  return readEach(SaidByOffset, entries, 'transcription').map(({ offsets, timestamps, text, speaker: name }) => ({
    speaker: name,
    start: offsets?.from ?? timestamps?.from ?? null,
    end: offsets?.to ?? timestamps?.to ?? null,
    text: text.replaceAll('[SPEAKER_TURN]', ' ')
  }))
}

/** insanely-fast-whisper repeats its `chunks` with speakers. */
function ofSpeakers(json: JsonRecord): Turn[] | null {
  const speakers = someObjects(json.speakers)
  return speakers?.every(said => 'text' in said && 'timestamp' in said)
    ? readEach(Said, speakers, 'speakers').map(toTurn)
    : null
}

function ofSegments(json: JsonRecord): Turn[] | null {
  const segments = someObjects(json.segments)
  const isWhisper = typeof json.text === 'string' || 'word_segments' in json || 'detected_language' in json
  if (
    !segments ||
    'speakers' in json ||
    !(isWhisper || segments.some(said => SEGMENT_MARKS.some(mark => mark in said)))
  )
    return null
  return readEach(Said, segments, 'segments').flatMap((said, index) => {
    const hasText = said.text !== null && said.text !== undefined
    const listed = someObjects(segments[index]?.words)
    // Some tools name the speakers of the words only.
    const speaks = said.speaker === null && listed?.some(word => word.speaker ?? word.speaker_id)
    if (hasText && !speaks) return [toTurn(said)]
    const words = readWords(listed ?? [], 'segments', index, 'words')
    return turnsOfWords(words.map(word => ({ ...word, speaker: word.speaker ?? said.speaker })))
  })
}

function ofChunks(json: JsonRecord): Turn[] | null {
  const chunks = someObjects(json.chunks)
  if (!chunks?.every(said => 'text' in said && (said.timestamp === null || Array.isArray(said.timestamp)))) return null
  return readEach(Said, chunks, 'chunks').map(toTurn)
}

function ofWords(json: JsonRecord): Turn[] | null {
  const list = WORD_LISTS.find(key =>
    someObjects(json[key])?.every(said => 'word' in said || ('text' in said && 'start' in said))
  )
  if (list === undefined) return null
  const words = readWords(objectsOf(json[list]) ?? [], list)
  return turnsOfWords(typeof json.text === 'string' ? withPunctuation(words, json.text) : words)
}

/** A text is all there is only if no other key may hold more of what was said. */
function ofText(json: JsonRecord): Turn[] | null {
  const text = stringOrNull(json.text)
  const more = Object.entries(json).some(
    ([key, value]) => !ABOUT.includes(key) && typeof value === 'object' && holdsAny(value)
  )
  return text === null || more ? null : untimed(text)
}

const ABOUT = ['usage', 'x_groq', 'logprobs', 'languages', 'metadata', 'params', 'options']

function holdsAny(value: object | null) {
  return value !== null && Object.keys(value).length > 0
}

function readWords(entries: JsonRecord[], ...path: PropertyKey[]): Word[] {
  return readEach(SaidWord, entries, ...path).map(({ word, text, speaker_id: id, ...said }) =>
    toTurn({ ...said, speaker: said.speaker ?? id, text: word ?? text ?? '' })
  )
}

function toTurn({ text, start, end, timestamp, speaker: name }: z.output<typeof Said>): Turn {
  return { speaker: name, start: start ?? timestamp?.[0] ?? null, end: end ?? timestamp?.[1] ?? null, text: text ?? '' }
}

function languageOf({ language, detected_language: detected, result, params }: JsonRecord) {
  const [ofResult, ofParams] = [result, params].map(part => (isRecord(part) ? stringOrNull(part.language) : null))
  const named = stringOrNull(language) ?? stringOrNull(detected) ?? ofResult ?? ofParams ?? null
  return named === 'auto' ? null : named
}
