import { openProviderEmbeddings, type ProviderOptions } from '../../src/ai/openai/embeddings.ts'
import { type OpenAiOptions, openAi } from '../../src/ai/openai.ts'

/** A provider at the URL that makes summaries and embeddings. */
export function providerAi(baseUrl: string, options: Partial<OpenAiOptions & ProviderOptions> = {}) {
  const prefixes = { query: undefined, passage: undefined }
  const common = { apiKey: 'sk-test-key', baseUrl, ...options }
  return openAi(
    { summaryModel: 'm', ...common },
    openProviderEmbeddings({ model: 'e', settings: 'OPENAI', prefixes, ...common })
  )
}

export type ProviderSettings = Parameters<typeof providerAi>[1]
