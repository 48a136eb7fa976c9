import type { Summaries } from '../ai.ts'
import { type OnTokens, structuredChat } from './chat.ts'
import { CHECK_TIMEOUT_MS, type ClientOptions, openClient } from './client.ts'
import { contextTokensOf, partTokensOf } from './context.ts'
import { PROMPT_VERSION } from './prompt.ts'
import { summarizeConversation } from './summarize.ts'

export interface SummaryOptions extends ClientOptions {
  model: string
  /** The tokens that the model reads and writes in one request. By its name unless set. */
  contextTokens?: number | undefined
  /** The tokens of a transcript in one request. By the context unless set. */
  partTokens?: number
  /** Called with the tokens of each answer. */
  onTokens?: OnTokens | undefined
}

const SHORTEST = {
  title: 'Check',
  type: 'meeting',
  language: 'en',
  day: '2026-01-05',
  segments: [{ speaker: 'Ada', start: null, end: null, text: 'We decided to keep the date.' }]
}

/** Summaries of any OpenAI-compatible server. Makes no request until a method is called. */
export function openProviderSummaries(options: SummaryOptions): Summaries {
  const { model, contextTokens = contextTokensOf(model), partTokens = partTokensOf(contextTokens) } = options
  const { client, close } = openClient(options)
  const open = structuredChat(client, model)

  return {
    translates: true,
    async summarize(conversation, signal) {
      const used = { input: 0, output: 0 }
      const ask = open(use => {
        used.input += use.input
        used.output += use.output
        options.onTokens?.(use)
      })
      const summary = await summarizeConversation(ask, conversation, partTokens, signal)
      const tokens = { inputTokens: used.input || null, outputTokens: used.output || null }
      return { ...summary, making: { model, promptVersion: PROMPT_VERSION, ...tokens } }
    },
    async check(signal) {
      const once = client.withOptions({ maxRetries: 0, timeout: CHECK_TIMEOUT_MS })
      await summarizeConversation(structuredChat(once, model)(), SHORTEST, partTokens, signal)
    },
    close
  }
}
