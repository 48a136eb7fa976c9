import { readAnswer } from '../../src/features/transcript-formats/read-answer.ts'
import { joinAi } from '../../src/platform/ai/join-ai.ts'
import { openProviderEmbeddings, type ProviderOptions } from '../../src/platform/ai/openai/embeddings.ts'
import { openProviderSummaries, type SummaryOptions } from '../../src/platform/ai/openai/summaries.ts'
import { openProviderTranscripts } from '../../src/platform/ai/openai/transcripts.ts'
import { OPENAI_MAX_BYTES } from '../../src/platform/config/provider-settings.ts'

type CommonSettings = Partial<Omit<SummaryOptions & ProviderOptions, 'model'>>

export interface ProviderSettings extends CommonSettings {
  summaryModel?: string
  transcriptionModel?: string
  transcriptionTimeoutMs?: number
  /** Whether the model is asked for speakers. */
  asksSpeakers?: boolean
}

const PREFIXES = { query: undefined, passage: undefined }
const toOptions = (baseUrl: string, settings: CommonSettings) =>
  ({ apiKey: 'sk-test-key', baseUrl, settings: 'OPENAI', prefixes: PREFIXES, ...settings }) as const

export function providerEmbeddings(baseUrl: string, settings: CommonSettings = {}) {
  return openProviderEmbeddings({ ...toOptions(baseUrl, settings), model: 'e' })
}

/** A provider at the URL that makes summaries, embeddings and, where a model is named, transcripts. */
export function providerAi(
  baseUrl: string,
  {
    summaryModel = 'm',
    transcriptionModel,
    transcriptionTimeoutMs,
    asksSpeakers = false,
    ...settings
  }: ProviderSettings = {}
) {
  const options = toOptions(baseUrl, settings)
  const timeout = transcriptionTimeoutMs === undefined ? {} : { timeoutMs: transcriptionTimeoutMs }
  return joinAi({
    summaries: openProviderSummaries({ ...options, model: summaryModel }),
    transcripts:
      transcriptionModel === undefined
        ? undefined
        : openProviderTranscripts({
            ...options,
            model: transcriptionModel,
            maxBytes: OPENAI_MAX_BYTES,
            asksSpeakers,
            readAnswer,
            ...timeout
          }),
    embeddings: providerEmbeddings(baseUrl, settings)
  })
}
