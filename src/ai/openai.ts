import type { Ai } from './ai.ts'
import { structuredChat } from './openai/ask.ts'
import { openEmbeddings } from './openai/embed.ts'
import { ProviderError } from './openai/faults.ts'
import { summarizeConversation } from './openai/summarize.ts'
import { transcribeFile } from './openai/transcribe.ts'
import { openTransport, type Send } from './openai/transport.ts'

export interface OpenAiOptions {
  apiKey: string
  /** Up to and including /v1. */
  baseUrl?: string
  summaryModel: string
  embeddingModel: string
  transcriptionModel?: string | undefined
  /** For one chat request, from the first byte to the last. */
  timeoutMs?: number
  embeddingTimeoutMs?: number
  /** For one recording, sent and answered. */
  transcriptionTimeoutMs?: number
  connectTimeoutMs?: number
  /** Before the first repetition; doubled for the second. */
  retryDelayMs?: number
  maxResponseBytes?: number
  /** Transcript in one request; fits, with the answer, into a context of 32,000. */
  partTokens?: number
  /** Of one text to embed; under the usual limit of 8,191 by more than the estimate errs. */
  textTokens?: number
  /** Texts in one embeddings request; 32 is what the strictest servers take. */
  batchCount?: number
}

const RETRIES = 2
const BATCH_TOKENS = 16_000

/** Speaks to any server that speaks OpenAI's protocol. Makes no request until asked something. */
export function openAi(options: OpenAiOptions): Ai {
  const { apiKey, baseUrl = 'https://api.openai.com/v1', summaryModel, embeddingModel, partTokens = 24_000 } = options
  const { transcriptionModel, transcriptionTimeoutMs = 15 * 60_000 } = options
  const { timeoutMs = 60_000, embeddingTimeoutMs = 10_000, connectTimeoutMs = 5_000, retryDelayMs = 500 } = options
  const { maxResponseBytes = 32 * 1024 * 1024, textTokens = 6_000, batchCount = 32 } = options

  const { send, close } = openTransport({ apiKey, baseUrl, connectTimeoutMs, retryDelayMs, maxResponseBytes })
  const ask = structuredChat(send, { model: summaryModel, timeoutMs, retries: RETRIES })
  const { embedder, embed } = openEmbeddings(send, {
    model: embeddingModel,
    timeoutMs: embeddingTimeoutMs,
    retries: RETRIES,
    textTokens,
    batchTokens: BATCH_TOKENS,
    batchCount
  })

  const speech = transcriptionModel && { model: transcriptionModel, timeoutMs: transcriptionTimeoutMs, retries: RETRIES }

  return {
    embedder,
    embed,
    transcribe: speech ? (recording, signal) => transcribeFile(send, speech, recording, signal) : undefined,
    summarize: (conversation, signal) => summarizeConversation(ask, conversation, partTokens, signal),
    async check(signal) {
      if (!(await listsModels(send, embeddingTimeoutMs, signal))) await embed(['.'], signal)
    },
    close
  }
}

/** Whether the provider knows how to list its models, which not every compatible server does. */
async function listsModels(send: Send, timeoutMs: number, signal?: AbortSignal) {
  const models = await send((client, requestSignal) => client.get('/models', { signal: requestSignal }), {
    timeoutMs,
    retries: 0,
    signal
  }).catch((fault: unknown) => {
    if (fault instanceof ProviderError && fault.status === 404) return false
    throw fault
  })
  if (models === false) return false
  if (typeof models === 'object' && models !== null) return true
  throw new ProviderError('The AI provider answered with something other than JSON; check OPENAI_BASE_URL.', { final: true })
}
