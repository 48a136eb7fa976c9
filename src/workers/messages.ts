import type { Reply } from '../ai/offline/thread.ts'
import type { Config } from '../config.ts'
import type { Topic } from '../db/commits.ts'
import type { Samples } from '../metrics/metrics.ts'

/** What a worker needs to begin. */
export interface Beginning {
  /** Its number, from 1; the one that replaces it has the same. */
  worker: number
  config: Config
  /** The model that the first process embeds with for all; undefined where each asks a provider itself. */
  embedder: { model: string; dimension: number } | undefined
}

/** What the first process says to a worker. */
export type Order =
  | { kind: 'begin'; beginning: Beginning }
  | { kind: 'ping' }
  | { kind: 'count'; id: number }
  | { kind: 'embedded'; reply: Reply<number[][]> }
  | { kind: 'stop' }

/** What a worker says to the first process. */
export type Report =
  /** It listens to orders. */
  | { kind: 'here' }
  | { kind: 'serving'; url: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'pong' }
  | { kind: 'counted'; id: number; samples: Samples }
  /** Queries, each for its vector. */
  | { kind: 'embed'; id: number; texts: string[] }
  | { kind: 'committed'; topic: Topic }
