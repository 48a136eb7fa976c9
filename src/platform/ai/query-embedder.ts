import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.ts'
import { within } from '../core/within.ts'
import type { Ai } from './ai.ts'

/** A query embedding and its model. */
export interface QueryEmbedding {
  model: string
  vector: number[]
}

/** The reason why a query has no embedding: the provider's answer is late, or it has failed. */
export type EmbeddingGap = 'late' | 'failed'

/** A query embedding. Without one and without a reason, embeddings are off or the model does not know the query's script. */
interface FoundEmbedding {
  near?: QueryEmbedding
  gap?: EmbeddingGap
}

export interface QueryEmbedder {
  /** Finds the embedding of a query where the provider answers in time. Never rejects. */
  find(query: string): Promise<FoundEmbedding>
}

/** The time without requests to the provider after an error. */
const BACKOFF_MS = 10_000
/** The timeout of a request to the provider. */
const EMBEDDING_TIMEOUT_MS = 10_000
const MAX_CACHED = 500

/**
 * Embeds queries and waits `waitMs` for each. After an error searches compare terms, and every ten seconds one of them tests whether the
 * provider is back. After a late answer they compare terms while an answer is awaited; the next search then waits again, and after an answer
 * in time all of them do. A late answer is cached for the next search of the same query. `onChange` gets the reason when searches begin to go
 * without meaning, and undefined when they have it again.
 */
export function openQueryEmbedder(
  { embedder, embed }: Pick<Ai, 'embedder' | 'embed'>,
  clock: Clock,
  waitMs: number,
  onChange: (gap: EmbeddingGap | undefined) => void = () => {}
): QueryEmbedder {
  const known = new LRUCache<string, QueryEmbedding>({ max: MAX_CACHED })
  let restUntil = 0
  let awaited = 0
  let lastGap: EmbeddingGap | undefined

  const change = (gap: EmbeddingGap | undefined) => {
    if (gap !== lastGap) onChange(gap)
    lastGap = gap
  }
  const rest = () => {
    restUntil = clock.now().getTime() + BACKOFF_MS
    change('failed')
  }

  async function ask(query: string): Promise<FoundEmbedding> {
    if (restUntil > 0) rest()
    awaited++
    try {
      const [vector] = await embed([query], AbortSignal.timeout(EMBEDDING_TIMEOUT_MS), 'query')
      restUntil = 0
      if (!embedder || !vector) return {}
      const near = { model: embedder.model, vector }
      known.set(query, near)
      return { near }
    } catch {
      rest()
      return { gap: 'failed' }
    } finally {
      awaited--
    }
  }

  return {
    async find(query) {
      const near = known.get(query)
      if (near) return { near }
      if (clock.now().getTime() < restUntil) return { gap: 'failed' }
      if (lastGap === 'late' && awaited > 0) return { gap: 'late' }
      const asked = ask(query)
      try {
        const found = await within(waitMs, asked)
        if (!found.gap) change(undefined)
        return found
      } catch {
        change('late')
        return { gap: 'late' }
      }
    }
  }
}
