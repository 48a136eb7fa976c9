import type { Ai } from '../ai/ai.ts'
import type { Clock } from '../core/clock.ts'
import { within } from '../core/within.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'
import { vectorText } from '../db/vector.ts'
import { coverage } from './vector-indexes.ts'

/** The weight of similarity beside the lexical score, as z-scores of each. */
export const SIMILARITY_WEIGHT = 0.3

/** A query embedding and its model. */
export interface QueryEmbedding {
  model: string
  dimension: number
  /** The vector in Postgres' notation, formatted once for the several statements of a search. */
  text: string
}

export function toQueryEmbedding(model: string, vector: number[]): QueryEmbedding {
  return { model, dimension: vector.length, text: vectorText(vector) }
}

export interface QueryEmbedder {
  /** The embedding of a query; undefined where the provider does not answer in time. Never rejects. */
  find(query: string): Promise<QueryEmbedding | undefined>
}

/** How long the provider is not asked after an error, or while its answer is overdue. */
const BACKOFF_MS = 10_000
/** The timeout of a request to the provider. */
const EMBEDDING_TIMEOUT_MS = 10_000
const MAX_CACHED = 500

/**
 * Embeds queries and waits `waitMs` for each. After an error or a late answer, searches go by words, and every ten seconds one of them tests
 * whether the provider is back. A late answer is cached for the next search of the same query.
 */
export function openQueryEmbedder({ embedder, embed }: Pick<Ai, 'embedder' | 'embed'>, clock: Clock, waitMs: number): QueryEmbedder {
  const known = new Map<string, QueryEmbedding>()
  let restUntil = 0
  const rest = (): undefined => {
    restUntil = clock.now().getTime() + BACKOFF_MS
  }

  function remember(query: string, embedding: QueryEmbedding) {
    known.delete(query)
    known.set(query, embedding)
    const [oldest] = known.keys()
    if (known.size > MAX_CACHED && oldest !== undefined) known.delete(oldest)
    return embedding
  }

  async function ask(query: string) {
    if (restUntil > 0) rest()
    const [vector] = await embed([query], AbortSignal.timeout(EMBEDDING_TIMEOUT_MS), 'query')
    restUntil = 0
    return embedder && vector && remember(query, toQueryEmbedding(embedder.model, vector))
  }

  return {
    async find(query) {
      const embedding = known.get(query)
      if (embedding) return remember(query, embedding)
      if (clock.now().getTime() < restUntil) return undefined
      return await within(waitMs, ask(query)).catch(rest)
    }
  }
}

/** The number of passages read from a vector index. */
const MAX_PASSAGES = 128
/** Up to this many sessions, comparing all their passages is faster than an index scan. */
const MAX_EXACT_SESSIONS = 250

/** The sessions nearest to the query embedding; from the owner's vector index, where there is one and a filter leaves many sessions. */
export async function listNearest(db: Queryable, userId: string, near: QueryEmbedding, allowed: SQL | undefined, candidates: number) {
  const { model, dimension, text } = near
  const isAllowed = allowed && sql`and session_id in (${allowed})`
  if (!(await usesIndex(db, userId, near, allowed))) return await findSimilarities(db, userId, near, isAllowed, candidates)
  const distance = sql`vector::${sql.raw(`halfvec(${dimension})`)} <=> ${text}::${sql.raw(`halfvec(${dimension})`)}`
  // Owner and model are literals: the planner uses a partial index only when it sees that it applies.
  return bySession(
    await db.query<Similarity>(sql`
      select session_id as "sessionId", 1 - min(distance) as similarity from (
        select session_id, ${distance} as distance from embeddings near
        where ${sql.raw(coverage({ userId, model, dimension }))} ${isAllowed} and ${isCompleted(userId)}
        order by distance limit ${MAX_PASSAGES}
      ) near group by session_id order by similarity desc limit ${candidates}`)
  )
}

async function usesIndex(db: Queryable, userId: string, { model, dimension }: QueryEmbedding, allowed: SQL | undefined) {
  const rows = await db.query(sql`
    select 1 from vector_indexes where user_id = ${userId} and model = ${model} and dimension = ${dimension}
      ${allowed && sql`and (select count(*) from (${allowed} limit ${MAX_EXACT_SESSIONS + 1}) few) > ${MAX_EXACT_SESSIONS}::int`}`)
  return rows.length > 0
}

/** The similarities of the sessions on which `condition` holds, by exact comparison. Sessions without embeddings are left out. */
export async function findSimilarities(
  db: Queryable,
  userId: string,
  { model, dimension, text }: QueryEmbedding,
  condition: SQL | undefined,
  candidates: number
) {
  return bySession(
    await db.query<Similarity>(sql`
      select session_id as "sessionId", similarity from (
        select session_id, 1 - min(vector <=> ${text}::halfvec) as similarity from embeddings
        where user_id = ${userId} and model = ${model} and dimension = ${dimension} ${condition}
        group by session_id order by similarity desc offset 0
      ) near where ${isCompleted(userId)} order by similarity desc limit ${candidates}`)
  )
}

/** Sessions in the trash keep their embeddings. `offset 0` makes the planner look up only the nearest sessions, one by one. */
function isCompleted(userId: string) {
  return sql`exists (select from sessions s where s.user_id = ${userId} and s.session_id = near.session_id and s.state = 'completed' offset 0)`
}

interface Similarity {
  sessionId: string
  similarity: number
}

function bySession(rows: Similarity[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ sessionId, similarity }) => [sessionId, similarity]))
}
