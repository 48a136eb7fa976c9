import type OpenAI from 'openai'
import { z } from 'zod'
import { storable } from '../../../contract/import-document.ts'
import type { Provider } from '../../config/provider-settings.ts'
import { toUnitLength } from '../unit-length.ts'
import { ProviderError, responseTo } from './errors.ts'
import { cutToTokens, pack, tokensOf } from './tokens.ts'

interface EmbeddingOptions {
  model: string
  /** The maximum that the model reads of one text; the rest is cut off. */
  textTokens: number
  batchCount: number
  /** The settings that name the provider begin with this word. */
  settings: Provider['settings']
}

const BATCH_TOKENS = 16_000
const MIN_CUT_TOKENS = 128

/** One vector of unit length for each text, in order. */
export async function embedTexts(
  client: OpenAI,
  options: EmbeddingOptions,
  texts: string[],
  signal?: AbortSignal
): Promise<number[][]> {
  // Servers refuse an empty input, and with it the whole batch.
  const inputs = texts.map(text => cutToTokens(storable(text).trim() || '.', options.textTokens))
  const vectors: number[][] = []
  for (const batch of pack(inputs, tokensOf, BATCH_TOKENS, options.batchCount)) {
    vectors.push(...(await embedBatch(client, options, batch, signal)))
  }
  return vectors
}

/** Halves the longest texts again and again while the server finds them too long. */
async function embedBatch(
  client: OpenAI,
  options: EmbeddingOptions,
  input: string[],
  signal?: AbortSignal
): Promise<number[][]> {
  const { model, settings } = options
  const request = client.embeddings.create({ model, input, encoding_format: 'float' }, { signal })
  try {
    const vectors = toVectors(await responseTo(client, request, { signal, settings, content: input.join('\n') }))
    const usable = vectors?.length === input.length && vectors.every(({ length }) => length === vectors[0]?.length)
    if (!usable)
      throw new ProviderError(`The embedding model ${model} did not answer with one vector for each text.`, {
        final: false
      })
    return vectors
  } catch (error) {
    const longest = Math.max(...input.map(tokensOf))
    const tooLong = error instanceof ProviderError && error.reason === 'too_long'
    if (!tooLong || longest <= MIN_CUT_TOKENS) throw error
    const shorter = input.map(text => cutToTokens(text, longest / 2))
    return await embedBatch(client, options, shorter, signal)
  }
}

const EmbeddingsAnswer = z.object({
  data: z.array(z.object({ index: z.number().nullish(), embedding: z.array(z.number()).min(1) }))
})

/** The vectors in the order of their index; undefined where one is missing or without direction. */
function toVectors(response: unknown): number[][] | undefined {
  const { data: embeddings } = EmbeddingsAnswer.safeParse(response).data ?? {}
  const byIndex = new Map(embeddings?.map(({ index, embedding }, at) => [index ?? at, toUnitLength(embedding)]))
  const vectors = embeddings?.map((_, at) => byIndex.get(at))
  return vectors?.every(vector => vector !== undefined) ? vectors : undefined
}
