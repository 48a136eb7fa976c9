import { hash } from 'node:crypto'
import type { EmbeddingProvider } from '../../config/embedding-settings.ts'
import { AiError, type Embeddings } from '../ai.ts'
import { CHECK_TIMEOUT_MS, type ClientOptions, openClient } from './client.ts'
import { embedTexts } from './embed.ts'

export interface ProviderOptions extends Omit<EmbeddingProvider, 'kind'>, ClientOptions {
  /** The maximum tokens of one text to embed. The margin below the usual limit of 8,191 covers the error of the estimate. */
  textTokens?: number
  /** Texts in one embeddings request; 32 is what the strictest servers take. */
  batchCount?: number
}

/** Embeddings of any OpenAI-compatible server. Makes no request until a method is called: a server must start while its provider is down. */
export function openProviderEmbeddings(options: ProviderOptions): Embeddings {
  const { model, prefixes, settings, textTokens = 6_000, batchCount = 32 } = options
  const { client, close } = openClient(options)
  const embedding = { model, textTokens, batchCount, settings }
  // Passages with another prefix have other vectors, which must not be compared with those of today.
  const name = prefixes.passage === undefined ? model : `${model}+${hash('sha256', prefixes.passage).slice(0, 8)}`
  // Known from the first answer on.
  let dimension = 0

  return {
    embedder: {
      model: name,
      get dimension() {
        return dimension
      }
    },
    lexicalReason: undefined,
    async embed(texts, signal, input = 'passage') {
      const prefix = prefixes[input] ?? ''
      const prefixed = texts.map(text => prefix + text)
      const vectors = await embedTexts(client, embedding, prefixed, signal)
      dimension ||= vectors[0]?.length ?? 0
      const changed = `The embedding model ${model} no longer answers with ${dimension} dimensions; restart the server if that is meant.`
      if (vectors.some(({ length }) => length !== dimension)) throw new AiError(changed, { final: true })
      return vectors
    },
    async check(signal) {
      await embedTexts(
        client.withOptions({ maxRetries: 0, timeout: CHECK_TIMEOUT_MS }),
        embedding,
        ['Parlance'],
        signal
      )
    },
    close
  }
}
