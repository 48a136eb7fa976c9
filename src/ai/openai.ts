import OpenAI from 'openai'
import { Agent, Dispatcher1Wrapper } from 'undici'
import { type Ai, AiError } from './ai.ts'
import { structuredChat } from './openai/chat.ts'
import { embedTexts } from './openai/embed.ts'
import { summarizeConversation } from './openai/summarize.ts'
import { transcribeFile } from './openai/transcribe.ts'

export interface OpenAiOptions {
  apiKey: string
  /** Up to and including /v1. */
  baseUrl?: string
  summaryModel: string
  embeddingModel: string
  transcriptionModel?: string | undefined
  /** For one attempt of a request, until its response has been read. */
  timeoutMs?: number
  transcriptionTimeoutMs?: number
  maxResponseBytes?: number
  /** Transcript in one request; fits, with the answer, into a context of 32,000. */
  partTokens?: number
  /** Of one text to embed; under the usual limit of 8,191 by more than the estimate errs. */
  textTokens?: number
  /** Texts in one embeddings request; 32 is what the strictest servers take. */
  batchCount?: number
}

const CHECK_TIMEOUT_MS = 10_000

/** Talks to any OpenAI-compatible server. Makes no request until a method is called. */
export function openAi(options: OpenAiOptions): Ai {
  const { summaryModel, embeddingModel, transcriptionModel } = options
  const { transcriptionTimeoutMs = 15 * 60_000, partTokens = 24_000, textTokens = 6_000, batchCount = 32 } = options
  // The SDK limits the time of a request, not the size of a response.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: options.maxResponseBytes ?? 32 * 1024 * 1024 })
  const client = openClient(options, agent)
  const ask = structuredChat(client, summaryModel)
  const embedding = { model: embeddingModel, textTokens, batchCount }
  // Known from the first answer on: a server must start while its provider is down.
  let dimension = 0

  return {
    embedder: {
      model: embeddingModel,
      get dimension() {
        return dimension
      }
    },
    lexicalReason: undefined,
    async embed(texts, signal) {
      const vectors = await embedTexts(client, embedding, texts, signal)
      dimension ||= vectors[0]?.length ?? 0
      if (vectors.some(({ length }) => length !== dimension))
        throw new AiError(changedDimension(embeddingModel, dimension), { final: true })
      return vectors
    },
    transcribe: transcriptionModel
      ? (recording, signal) => transcribeFile(client, transcriptionModel, recording, { signal, timeout: transcriptionTimeoutMs })
      : undefined,
    summarize: (conversation, signal) => summarizeConversation(ask, conversation, partTokens, signal),
    async check(signal) {
      await embedTexts(client.withOptions({ maxRetries: 0, timeout: CHECK_TIMEOUT_MS }), embedding, ['ready'], signal)
    },
    close: () => agent.destroy()
  }
}

function openClient({ apiKey, baseUrl = 'https://api.openai.com/v1', timeoutMs = 60_000 }: OpenAiOptions, agent: Agent) {
  return new OpenAI({
    apiKey,
    baseURL: baseUrl,
    timeout: timeoutMs,
    // A redirected POST would arrive as a GET; and fetch keeps a copy of an upload that it may have to send again.
    fetchOptions: { dispatcher: new Dispatcher1Wrapper(agent), redirect: 'error' },
    logLevel: 'off',
    // Unless named, the SDK takes these from the environment, past the configuration.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null
  })
}

function changedDimension(model: string, dimension: number) {
  return `The embedding model ${model} no longer answers with ${dimension} dimensions; restart the server if that is meant.`
}
