import { openAsBlob } from 'node:fs'
import { z } from 'zod'
import { DEFAULT_SPEAKER, storable } from '../../contract/import-document.ts'
import { isBlank } from '../../contract/text.ts'
import { languageCode } from '../../core/language-code.ts'
import type { RecordingFile, Transcription } from '../ai.ts'
import { ProviderError } from './faults.ts'
import type { Send } from './transport.ts'

export interface TranscribeOptions {
  model: string
  timeoutMs: number
  retries: number
}

const seconds = z.number().nonnegative().nullish().catch(null)
const Said = z.object({ start: seconds, end: seconds, text: z.string(), speaker: z.string().nullish().catch(null) })
const Answer = z.object({
  text: z.string(),
  language: z.string().nullish().catch(null),
  // Some servers write it as text.
  duration: z.coerce.number().nonnegative().nullish().catch(null),
  segments: z.array(Said).nullish()
})

/** Sends the file as it is read, so that its size costs no memory; the provider's answer to one too large is final. */
export async function transcribeFile(
  send: Send,
  options: TranscribeOptions,
  file: RecordingFile,
  signal?: AbortSignal
): Promise<Transcription> {
  try {
    return read(await request('verbose_json'), options.model)
  } catch (fault) {
    // Models that know no times refuse the format that has them.
    if (!(fault instanceof ProviderError && fault.topic === 'response_format')) throw fault
    return read(await request('json'), options.model)
  }

  async function request(format: string) {
    const { model, timeoutMs, retries } = options
    return await send(
      async (client, requestSignal) =>
        client.post('/audio/transcriptions', { body: await formOf(file, model, format), signal: requestSignal }),
      { timeoutMs, retries, signal }
    )
  }
}

async function formOf({ path, name, contentType }: RecordingFile, model: string, format: string) {
  const form = new FormData()
  form.append('model', model)
  form.append('response_format', format)
  form.append('file', new File([await openAsBlob(path)], name, { type: contentType }))
  return form
}

function read(answer: unknown, model: string): Transcription {
  const { data } = Answer.safeParse(answer)
  if (!data) throw new ProviderError(`The transcription model ${model} did not answer with a transcript.`, { final: false })
  const untimed = { speaker: null, start: null, end: null, text: data.text }
  const said = data.segments && data.segments.length > 0 ? data.segments : [untimed]
  const segments = said.map(toSegment).filter(({ text }) => !isBlank(text))
  const lastEnd = segments.reduce((last, { end }) => Math.max(last, end ?? 0), 0)
  return { segments, language: languageCode(data.language ?? null), durationSeconds: data.duration ?? lastEnd }
}

function toSegment({ speaker, start = null, end = null, text }: z.output<typeof Said>) {
  const name = storable(speaker ?? '').trim()
  return {
    speaker: isBlank(name) ? DEFAULT_SPEAKER : name.slice(0, 200),
    start,
    end: start !== null && end !== null ? Math.max(start, end) : end,
    text: storable(text).replace(/\s+/g, ' ').trim()
  }
}
