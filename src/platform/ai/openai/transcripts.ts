import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TranscriptionProvider } from '../../config/provider-settings.ts'
import type { Transcripts } from '../ai.ts'
import { secondOfSilence } from '../silence.ts'
import { CHECK_TIMEOUT_MS, type ClientOptions, openClient } from './client.ts'
import { openTranscriber, type TranscriberOptions } from './transcribe.ts'

type TranscriptOptions = ClientOptions & TranscriberOptions & Pick<TranscriptionProvider, 'maxBytes'>

/** Long enough for hours of talk on a slow machine. */
const TIMEOUT_MS = 15 * 60_000

/** Transcripts of any OpenAI-compatible server. Makes no request until a method is called. */
export function openProviderTranscripts({
  timeoutMs = TIMEOUT_MS,
  maxBytes,
  ...options
}: TranscriptOptions): Transcripts {
  const { client, close } = openClient({ ...options, timeoutMs })

  return {
    maxBytes,
    transcribe: openTranscriber(client, options),
    async check(signal) {
      const path = join(tmpdir(), `parlance-check-${randomUUID()}.wav`)
      try {
        await writeFile(path, secondOfSilence())
        const once = client.withOptions({ maxRetries: 0, timeout: CHECK_TIMEOUT_MS })
        await openTranscriber(once, options)({ path, name: 'check.wav', contentType: 'audio/wav' }, signal)
      } finally {
        await rm(path, { force: true })
      }
    },
    close
  }
}
