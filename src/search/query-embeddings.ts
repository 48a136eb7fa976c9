import type { Ai } from '../ai/ai.ts'
import type { Clock } from '../core/clock.ts'
import { vectorText } from '../db/vector.ts'

/** A query embedding and its model. */
export interface QueryEmbedding {
  model: string
  dimension: number
  /** The vector in Postgres' notation, formatted once for the several statements of a search. */
  text: string
}

/** Decimal places kept: half precision has no finer steps than 2^-24, and more digits cost time to send and parse. */
const STEPS = 1e7

export function toQueryEmbedding(model: string, vector: number[]): QueryEmbedding {
  return { model, dimension: vector.length, text: vectorText(vector.map(value => Math.round(value * STEPS) / STEPS)) }
}

export interface QueryEmbeddings {
  readonly model: string
  /** The embedding of a query; undefined where the provider does not answer in time. Never rejects. */
  find(query: string): Promise<number[] | undefined>
}

/** How long the provider is not asked after an error. */
const BACKOFF_MS = 10_000
/** The timeout of a request to the provider. */
const EMBEDDING_TIMEOUT_MS = 10_000
const MAX_CACHED = 500

/**
 * Embeds queries and waits `waitMs` for each. While an answer is overdue, and for a while after an error, searches do not wait: they go by
 * words. A late answer is cached for the next search of the same query.
 */
export function openQueryEmbeddings(ai: Pick<Ai, 'embedder' | 'embed'>, clock: Clock, waitMs: number): QueryEmbeddings {
  const known = new Map<string, number[]>()
  const inFlight = new Map<string, Promise<number[] | undefined>>()
  let overdue = 0
  let restUntil = 0
  /** After an error, one search at a time tests whether the provider is back. */
  let trying = false

  function remember(query: string, vector: number[]) {
    known.delete(query)
    known.set(query, vector)
    const [oldest] = known.keys()
    if (known.size > MAX_CACHED && oldest !== undefined) known.delete(oldest)
  }

  async function ask(query: string) {
    trying = restUntil > 0
    try {
      const [vector] = await ai.embed([query], AbortSignal.timeout(EMBEDDING_TIMEOUT_MS), 'query')
      restUntil = 0
      if (vector) remember(query, vector)
      return vector
    } catch {
      restUntil = clock.now().getTime() + BACKOFF_MS
      return undefined
    } finally {
      trying = false
      inFlight.delete(query)
    }
  }

  function asked(query: string) {
    const before = inFlight.get(query)
    if (before) return before
    const asking = ask(query)
    inFlight.set(query, asking)
    return asking
  }

  async function inTime(asking: Promise<number[] | undefined>) {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>(resolve => {
      timer = setTimeout(() => resolve('late'), waitMs)
    })
    const first = await Promise.race([asking, late]).finally(() => clearTimeout(timer))
    if (first !== 'late') return first
    overdue++
    void asking.finally(() => overdue--)
    return undefined
  }

  return {
    model: ai.embedder.model,
    async find(query) {
      const vector = known.get(query)
      if (vector) {
        remember(query, vector)
        return vector
      }
      if (overdue > 0 || trying || clock.now().getTime() < restUntil) return undefined
      return await inTime(asked(query))
    }
  }
}
