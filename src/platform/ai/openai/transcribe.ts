import { openAsBlob } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type OpenAI from 'openai'
import { DEFAULT_SPEAKER, fitsTranscript } from '../../../contract/import-document.ts'
import { FIELD_LIMITS } from '../../../contract/limits.ts'
import { isBlank } from '../../../contract/text.ts'
import type { TranscriptionProvider } from '../../config/provider-settings.ts'
import type { AnswerReader } from '../../ports/answer-reader.ts'
import { languageCode } from '../../text/language-code.ts'
import type { Segment } from '../../text/segment.ts'
import { MAX_VOICES, type RecordingFile, type Transcription, UnsuitableRecording, type Voice } from '../ai.ts'
import { ProviderError, responseTo } from './errors.ts'
import { toLine } from './text.ts'
import { tokensOf } from './tokens.ts'

/** The fields of a request that not every model takes. */
interface Fields {
  format: 'diarized_json' | 'verbose_json' | 'json'
  chunks: boolean
  language: string | null
  /** Null without one. */
  prompt: string | null
  voices: Voice[]
}

const MAX_ANSWERS = 5

export type TranscriberOptions = Pick<TranscriptionProvider, 'model' | 'settings' | 'asksSpeakers'> & {
  readAnswer: AnswerReader
}

/**
 * Makes the transcripts of one model. It remembers which fields the model takes. Files are streamed, so that their size costs no memory. If
 * the provider refuses its size or format, the error is an UnsuitableRecording.
 */
export function openTranscriber(
  client: OpenAI,
  { model, settings, asksSpeakers: diarizes, readAnswer }: TranscriberOptions
) {
  // Models of OpenAI that know no times refuse `verbose_json` only after the upload.
  const isTimeless = /^gpt-(?!.*diari)(?:[\w.-]+-)?transcribe/.test(model)
  const accepted: Pick<Fields, 'format' | 'chunks'> = {
    format: diarizes ? 'diarized_json' : isTimeless ? 'json' : 'verbose_json',
    chunks: diarizes
  }

  // OpenAI's model for speakers takes none.
  let takesPrompt = !diarizes

  return async (recording: RecordingFile, signal?: AbortSignal): Promise<Transcription> => {
    const { path, name, contentType: type, language = null, voices = [], words = [] } = recording
    const file = new File([await openAsBlob(path)], name, { type })
    let fields: Fields = {
      ...accepted,
      language,
      prompt: takesPrompt ? toPrompt(words) : null,
      voices: diarizes ? voices.slice(0, MAX_VOICES) : []
    }
    for (let answers = 1; ; answers++) {
      try {
        const body = { file, model, ...(await toBody(fields)) }
        const request = client.audio.transcriptions.create(body, { signal })
        const transcription = toTranscription(
          await responseTo(client, request, { signal, settings, content: fields.prompt ?? '' }),
          readAnswer,
          model
        )
        return { ...transcription, ...(fields.voices.length > 0 && { knowsVoices: true }) }
      } catch (error) {
        const other =
          answers < MAX_ANSWERS && error instanceof ProviderError ? withoutRefused(fields, error) : undefined
        if (!other) throw unsuitable(error)
        fields = other
        accepted.format = fields.format
        accepted.chunks = fields.chunks
        takesPrompt &&= error instanceof ProviderError && error.reason !== 'prompt'
      }
    }
  }
}

async function toBody({ format, chunks, language, prompt, voices }: Fields) {
  return {
    response_format: format,
    ...(chunks && { chunking_strategy: 'auto' as const }),
    ...(language !== null && { language }),
    ...(prompt !== null && { prompt }),
    ...(voices.length > 0 && {
      known_speaker_names: voices.map(({ name }) => name),
      known_speaker_references: await Promise.all(voices.map(toDataUrl))
    })
  }
}

/** Whisper reads no more than this of a prompt, and its end first. */
const PROMPT_TOKENS = 200

/** Names the words in one line, as many as fit whole. */
function toPrompt(words: readonly string[]) {
  const fitting: string[] = []
  let tokens = 0
  for (const word of words) {
    tokens += tokensOf(`${word}, `)
    if (tokens > PROMPT_TOKENS) break
    fitting.push(word)
  }
  return fitting.length > 0 ? `${fitting.join(', ')}.` : null
}

async function toDataUrl({ path, contentType }: Voice) {
  return `data:${contentType};base64,${await readFile(path, 'base64')}`
}

/** Returns the fields without the one that the refusal names. Undefined if a request with others would be refused too. */
function withoutRefused(fields: Fields, { reason }: ProviderError): Fields | undefined {
  if (reason === 'response_format' && fields.format !== 'json')
    return { ...fields, format: fields.format === 'diarized_json' ? 'verbose_json' : 'json', voices: [] }
  if (reason === 'chunking_strategy') return { ...fields, chunks: !fields.chunks }
  if (reason === 'known_speaker' && fields.voices.length > 0) return { ...fields, voices: [] }
  if (reason === 'prompt' && fields.prompt !== null) return { ...fields, prompt: null }
  return reason === 'language' && fields.language !== null ? { ...fields, language: null } : undefined
}

function unsuitable(error: unknown) {
  const isRefused =
    error instanceof ProviderError && ['too_long', 'too_large', 'unreadable'].includes(error.reason ?? '')
  return isRefused ? new UnsuitableRecording(error.message) : error
}

function toTranscription(response: unknown, readAnswer: AnswerReader, model: string): Transcription {
  const { segments: said, language, durationSeconds } = readOrFail(response, readAnswer, model)
  const segments = said.map(toSegment).filter(({ text }) => !isBlank(text))
  if (segments.length > FIELD_LIMITS.entries || !fitsTranscript(segments))
    throw new ProviderError(`The transcription model ${model} answered with more than a transcript can hold.`, {
      final: true
    })
  const lastEnd = segments.reduce((last, { end }) => Math.max(last, end ?? 0), 0)
  return { segments, language: languageCode(language), durationSeconds: durationSeconds ?? lastEnd }
}

function readOrFail(response: unknown, readAnswer: AnswerReader, model: string) {
  try {
    return readAnswer(response)
  } catch {
    throw new ProviderError(`The transcription model ${model} did not answer with a transcript.`, { final: false })
  }
}

function toSegment({ speaker, start, end, text }: Segment): Segment {
  const name = toLine(speaker, FIELD_LIMITS.personName)
  return {
    speaker: isBlank(name) ? DEFAULT_SPEAKER : name,
    start,
    end: start !== null && end !== null ? Math.max(start, end) : end,
    text: toLine(text, FIELD_LIMITS.segmentText)
  }
}
