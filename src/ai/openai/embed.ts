import { z } from 'zod'
import type { Ai } from '../ai.ts'
import { ProviderError } from './faults.ts'
import { clean } from './text.ts'
import { cutToTokens, pack, tokensOf } from './tokens.ts'
import type { Send } from './transport.ts'

export interface EmbeddingOptions {
  model: string
  timeoutMs: number
  retries: number
  /** What the model reads of one text; the rest is cut off. */
  textTokens: number
  batchTokens: number
  batchCount: number
}

const SHORTEST_CUT_TOKENS = 128

const Embeddings = z.object({ data: z.array(z.object({ index: z.number().nullish(), embedding: z.array(z.number()).min(1) })) })

export function openEmbeddings(send: Send, options: EmbeddingOptions): Pick<Ai, 'embedder' | 'embed'> {
  const { model, textTokens, batchTokens, batchCount } = options
  // Known from the first answer on: a server must start while its provider is down.
  let dimension = 0
  return {
    embedder: {
      model,
      get dimension() {
        return dimension
      }
    },
    async embed(texts, signal) {
      const vectors: number[][] = []
      // Servers refuse an empty input, and with it the whole batch.
      const inputs = texts.map(text => cutToTokens(clean(text).trim() || '.', textTokens))
      for (const batch of pack(inputs, tokensOf, batchTokens, batchCount)) {
        const made = await embedBatch(send, options, batch, signal)
        const length = made[0]?.length ?? 0
        dimension ||= length
        if (length !== dimension) throw drift(model, dimension, length)
        vectors.push(...made)
      }
      return vectors
    }
  }
}

/** Cuts the longest texts to half, again and again, while the server finds them too long. */
async function embedBatch(send: Send, options: EmbeddingOptions, input: string[], signal?: AbortSignal): Promise<number[][]> {
  const { model, timeoutMs, retries } = options
  try {
    const answer = await send(
      (client, requestSignal) => client.embeddings.create({ model, input, encoding_format: 'float' }, { signal: requestSignal }),
      { timeoutMs, retries, sent: input.join('\n'), signal }
    )
    return vectorsOf(answer, input.length, model)
  } catch (fault) {
    const longest = Math.max(...input.map(tokensOf))
    const tooLong = fault instanceof ProviderError && fault.topic === 'context'
    if (!tooLong || longest <= SHORTEST_CUT_TOKENS) throw fault
    const shorter = input.map(text => cutToTokens(text, longest / 2))
    return await embedBatch(send, options, shorter, signal)
  }
}

function drift(model: string, known: number, got: number) {
  const message = `The embedding model ${model} changed from ${known} to ${got} dimensions; restart the server if that is meant.`
  return new ProviderError(message, { final: true })
}

/** The vectors in the order of the texts, each of unit length. */
function vectorsOf(answer: unknown, count: number, model: string): number[][] {
  const garbage = (what: string) => new ProviderError(`The embedding model ${model} ${what}.`, { final: false })
  const { data: parsed } = Embeddings.safeParse(answer)
  if (!parsed) throw garbage('did not answer with vectors of numbers')
  if (parsed.data.length !== count) throw garbage(`answered with ${parsed.data.length} vectors for ${count} texts`)
  const byIndex = new Map(parsed.data.map(({ index, embedding }, at) => [index ?? at, embedding]))
  const vectors = Array.from({ length: count }, (_, at) => byIndex.get(at) ?? [])
  if (vectors.some(vector => vector.length === 0)) throw garbage('numbered its vectors wrongly')
  if (vectors.some(vector => vector.length !== vectors[0]?.length)) throw garbage('answered with vectors of different dimensions')
  return vectors.map(vector => {
    const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
    if (!(norm > 0) || norm === Number.POSITIVE_INFINITY) throw garbage('answered with a vector without direction')
    return vector.map(value => value / norm)
  })
}
