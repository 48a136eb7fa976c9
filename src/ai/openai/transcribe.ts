import { openAsBlob } from 'node:fs'
import type OpenAI from 'openai'
import { z } from 'zod'
import type { Provider } from '../../config/provider-settings.ts'
import { DEFAULT_SPEAKER, fitsTranscript } from '../../contract/import-document.ts'
import { FIELD_LIMITS, LIMITS } from '../../contract/limits.ts'
import { isBlank } from '../../contract/text.ts'
import { languageCode } from '../../text/language-code.ts'
import type { RecordingFile, Transcription } from '../ai.ts'
import { ProviderError, responseTo } from './errors.ts'
import { toLine } from './text.ts'

/** Streams the file, so that its size costs no memory. If the provider refuses its size, the error is final. */
export async function transcribeFile(
  client: OpenAI,
  { model, settings }: Pick<Provider, 'model' | 'settings'>,
  recording: RecordingFile,
  signal?: AbortSignal
): Promise<Transcription> {
  const { path, name, contentType: type } = recording
  const file = new File([await openAsBlob(path)], name, { type })
  async function transcribe(response_format: 'verbose_json' | 'json') {
    const request = client.audio.transcriptions.create({ file, model, response_format }, { signal })
    return toTranscription(await responseTo(client, request, { signal, settings }), model)
  }
  try {
    return await transcribe('verbose_json')
  } catch (error) {
    // Models without times refuse the format that has them.
    if (error instanceof ProviderError && error.reason === 'response_format') return await transcribe('json')
    throw error
  }
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
