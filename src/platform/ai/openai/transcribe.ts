import { openAsBlob } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type OpenAI from 'openai'
import { z } from 'zod'
import { DEFAULT_SPEAKER, fitsTranscript } from '../../../contract/import-document.ts'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { isBlank } from '../../../contract/text.ts'
import type { Provider } from '../../config/provider-settings.ts'
import { languageCode } from '../../text/language-code.ts'
import { MAX_VOICES, type RecordingFile, type Transcription, UnsuitableRecording, type Voice } from '../ai.ts'
import { ProviderError, responseTo } from './errors.ts'
import { toLine } from './text.ts'

/** The fields of a request that not every model takes. */
interface Fields {
  format: 'diarized_json' | 'verbose_json' | 'json'
  chunks: boolean
  language: string | null
  voices: Voice[]
}

const MAX_ANSWERS = 5

/**
 * Makes the transcripts of one model. It remembers which fields the model takes. Files are streamed, so that their size costs no memory. If
 * the provider refuses its size or format, the error is an UnsuitableRecording.
 */
export function openTranscriber(client: OpenAI, { model, settings }: Pick<Provider, 'model' | 'settings'>) {
  const diarizes = /diari[sz]/i.test(model)
  // Models of OpenAI that know no times refuse `verbose_json` only after the upload.
  const isTimeless = /^gpt-(?!.*diari)(?:[\w.-]+-)?transcribe/.test(model)
  const accepted: Pick<Fields, 'format' | 'chunks'> = {
    format: diarizes ? 'diarized_json' : isTimeless ? 'json' : 'verbose_json',
    chunks: diarizes
  }

  return async (recording: RecordingFile, signal?: AbortSignal): Promise<Transcription> => {
    const { path, name, contentType: type, language = null, voices = [] } = recording
    const file = new File([await openAsBlob(path)], name, { type })
    let fields: Fields = { ...accepted, language, voices: diarizes ? voices.slice(0, MAX_VOICES) : [] }
    for (let answers = 1; ; answers++) {
      try {
        const body = { file, model, ...(await toBody(fields)) }
        const request = client.audio.transcriptions.create(body, { signal })
        const transcription = toTranscription(await responseTo(client, request, { signal, settings }), model)
        return { ...transcription, ...(fields.voices.length > 0 && { knowsVoices: true }) }
      } catch (error) {
        const other =
          answers < MAX_ANSWERS && error instanceof ProviderError ? withoutRefused(fields, error) : undefined
        if (!other) throw unsuitable(error)
        fields = other
        accepted.format = fields.format
        accepted.chunks = fields.chunks
      }
    }
  }
}

async function toBody({ format, chunks, language, voices }: Fields) {
  return {
    response_format: format,
    ...(chunks && { chunking_strategy: 'auto' as const }),
    ...(language !== null && { language }),
    ...(voices.length > 0 && {
      known_speaker_names: voices.map(({ name }) => name),
      known_speaker_references: await Promise.all(voices.map(toDataUrl))
    })
  }
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
  return reason === 'language' && fields.language !== null ? { ...fields, language: null } : undefined
}

function unsuitable(error: unknown) {
  const isRefused =
    error instanceof ProviderError && ['too_long', 'too_large', 'unreadable'].includes(error.reason ?? '')
  return isRefused ? new UnsuitableRecording(error.message) : error
}

const seconds = z.number().nonnegative().max(LIMITS.recordingSeconds).nullish().catch(null)
const TranscribedSegment = z.object({
  start: seconds,
  end: seconds,
  text: z.string(),
  speaker: z.string().nullish().catch(null)
})
const TranscriptionResponse = z.object({
  text: z.string(),
  language: z.string().nullish().catch(null),
  // Some servers write it as text.
  duration: z.coerce.number().nonnegative().max(LIMITS.recordingSeconds).nullish().catch(null),
  segments: z.array(TranscribedSegment).nullish()
})

function toTranscription(response: unknown, model: string): Transcription {
  const { data } = TranscriptionResponse.safeParse(response)
  if (!data)
    throw new ProviderError(`The transcription model ${model} did not answer with a transcript.`, { final: false })
  const untimed = { speaker: null, start: null, end: null, text: data.text }
  const segments = (data.segments?.length ? data.segments : [untimed])
    .map(toSegment)
    .filter(({ text }) => !isBlank(text))
  if (segments.length > FIELD_LIMITS.entries || !fitsTranscript(segments))
    throw new ProviderError(`The transcription model ${model} answered with more than a transcript can hold.`, {
      final: true
    })
  const lastEnd = segments.reduce((last, { end }) => Math.max(last, end ?? 0), 0)
  return { segments, language: languageCode(data.language ?? null), durationSeconds: data.duration ?? lastEnd }
}

function toSegment({ speaker, start = null, end = null, text }: z.output<typeof TranscribedSegment>) {
  const name = toLine(speaker ?? '', FIELD_LIMITS.personName)
  return {
    speaker: isBlank(name) ? DEFAULT_SPEAKER : name,
    start,
    end: start !== null && end !== null ? Math.max(start, end) : end,
    text: toLine(text, FIELD_LIMITS.segmentText)
  }
}
