import type { Ai, Embeddings } from './ai.ts'
import { structuredChat } from './openai/chat.ts'
import { type ClientOptions, openClient } from './openai/client.ts'
import { summarizeConversation } from './openai/summarize.ts'
import { transcribeFile } from './openai/transcribe.ts'

export interface OpenAiOptions extends ClientOptions {
  summaryModel: string
  transcriptionModel?: string | undefined
  transcriptionTimeoutMs?: number
  /** The tokens of a transcript in one request. With the answer they fit into a context of 32,000 tokens. */
  partTokens?: number
}

/** Summaries and transcripts of any OpenAI-compatible server. Makes no request until a method is called. Closes the embeddings with itself. */
export function openAi(options: OpenAiOptions, embeddings: Embeddings): Ai {
  const { summaryModel, transcriptionModel, transcriptionTimeoutMs = 15 * 60_000, partTokens = 24_000 } = options
  const { client, close } = openClient(options)
  const transcriber = openClient({ ...options, timeoutMs: transcriptionTimeoutMs })
  const ask = structuredChat(client, summaryModel)

  return {
    ...embeddings,
    transcribe: transcriptionModel
      ? (recording, signal) => transcribeFile(transcriber.client, transcriptionModel, recording, signal)
      : undefined,
    summarize: (conversation, signal) => summarizeConversation(ask, conversation, partTokens, signal),
    async close() {
      await Promise.all([close(), transcriber.close(), embeddings.close()])
    }
  }
}
