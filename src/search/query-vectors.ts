import type { Ai } from '../ai/ai.ts'
import type { Clock } from '../core/clock.ts'
import { vectorText } from '../db/vector.ts'

/** A vector with the name of the model that made it. */
export interface QueryVector {
  model: string
  dimension: number
  /** As the database reads it. Written once: each search sends it several times. */
  text: string
}

/** Halves of a number, as which vectors are kept, have no finer steps than one in 2^24; more digits only take time to write and read. */
const STEPS = 1e7

export function queryVector(model: string, vector: number[]): QueryVector {
  return { model, dimension: vector.length, text: vectorText(vector.map(value => Math.round(value * STEPS) / STEPS)) }
}

export interface QueryVectors {
  readonly model: string
  /** The query's vector; undefined where the provider does not answer in time. Never rejects. */
  find(query: string): Promise<number[] | undefined>
}

/** How long a provider that has failed is left alone. */
const REST_MS = 10_000
/** After this the provider is given up on: an answer would come too late for anyone. */
const GIVE_UP_MS = 10_000
const REMEMBERED = 500

/**
 * Asks the provider for the vectors of queries, and waits `waitMs` for each. While the provider owes an answer that is overdue, and for
 * a while after it failed, nobody else waits for it: those searches go by words. An answer that comes late is good for the next time.
 */
export function openQueryVectors(ai: Pick<Ai, 'embedder' | 'embed'>, clock: Clock, waitMs: number): QueryVectors {
  const known = new Map<string, number[]>()
  const underWay = new Map<string, Promise<number[] | undefined>>()
  let overdue = 0
  let restUntil = 0
  /** One search finds out whether a provider that has failed is back. */
  let trying = false

  function remember(query: string, vector: number[]) {
    known.delete(query)
    known.set(query, vector)
    const [oldest] = known.keys()
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest)
  }

  async function ask(query: string) {
    trying = restUntil > 0
    try {
      const [vector] = await ai.embed([query], AbortSignal.timeout(GIVE_UP_MS), 'query')
      restUntil = 0
      if (vector) remember(query, vector)
      return vector
    } catch {
      restUntil = clock.now().getTime() + REST_MS
      return undefined
    } finally {
      trying = false
      underWay.delete(query)
    }
  }

  function asked(query: string) {
    const before = underWay.get(query)
    if (before) return before
    const asking = ask(query)
    underWay.set(query, asking)
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
