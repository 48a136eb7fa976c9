import type { Summaries } from '../ai.ts'
import { structuredChat } from './chat.ts'
import { CHECK_TIMEOUT_MS, type ClientOptions, openClient } from './client.ts'
import { summarizeConversation } from './summarize.ts'
import { followTemplate, listLeftOut } from './template.ts'

export interface SummaryOptions extends ClientOptions {
  model: string
  /** The tokens of a transcript in one request. With the answer they fit into a context of 32,000 tokens. */
  partTokens?: number
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
  const { model, partTokens = 24_000 } = options
  const { client, close } = openClient(options)
  const ask = structuredChat(client, model)

  return {
    translates: true,
    async summarize(conversation, signal) {
      const { template = null } = conversation
      if (template === null) return await summarizeConversation(ask, conversation, partTokens, signal)
      const made = await summarizeConversation(followTemplate(ask, template), conversation, partTokens, signal)
      return { ...made, leftOut: listLeftOut(made.summary, template) }
    },
    async check(signal) {
      const once = client.withOptions({ maxRetries: 0, timeout: CHECK_TIMEOUT_MS })
      await summarizeConversation(structuredChat(once, model), SHORTEST, partTokens, signal)
    },
    close
  }
}
