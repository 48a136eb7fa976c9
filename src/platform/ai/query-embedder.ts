import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.ts'
import { within } from '../core/within.ts'
import type { Ai } from './ai.ts'

/** A query embedding and its model. */
export interface QueryEmbedding {
  model: string
  vector: number[]
}

export interface QueryEmbedder {
  /** The embedding of a query; undefined where the provider does not answer in time. Never rejects. */
  find(query: string): Promise<QueryEmbedding | undefined>
}

/** The time without requests to the provider after an error, or while its answer is overdue. */
const BACKOFF_MS = 10_000
/** The timeout of a request to the provider. */
const EMBEDDING_TIMEOUT_MS = 10_000
const MAX_CACHED = 500

/**
 * Embeds queries and waits `waitMs` for each. After an error or a late answer, searches compare terms, and every ten seconds one of them tests
 * whether the provider is back. A late answer is cached for the next search of the same query.
 */
export function openQueryEmbedder(
  { embedder, embed }: Pick<Ai, 'embedder' | 'embed'>,
  clock: Clock,
  waitMs: number
): QueryEmbedder {
  const known = new LRUCache<string, QueryEmbedding>({ max: MAX_CACHED })
  let restUntil = 0
  const rest = (): undefined => {
    restUntil = clock.now().getTime() + BACKOFF_MS
  }

  async function ask(query: string) {
    if (restUntil > 0) rest()
    const [vector] = await embed([query], AbortSignal.timeout(EMBEDDING_TIMEOUT_MS), 'query')
    restUntil = 0
    if (!embedder || !vector) return undefined
    const embedding = { model: embedder.model, vector }
    known.set(query, embedding)
    return embedding
  }

  return {
    async find(query) {
      const embedding = known.get(query)
      if (embedding) return embedding
      if (clock.now().getTime() < restUntil) return undefined
      return await within(waitMs, ask(query)).catch(rest)
    }
  }
}
