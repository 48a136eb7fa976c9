import { createHash } from 'node:crypto'
import type { Ai } from '../ai/ai.ts'
import type { Clock } from '../core/clock.ts'
import { within } from '../core/within.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import { escapeIdentifier, escapeLiteral } from '../db/literal.ts'
import type { OpenDatabase, Queryable } from '../db/open.ts'
import { runAtOwner, runOnNodes } from '../db/shards.ts'
import { vectorText } from '../db/vector.ts'

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

interface VectorIndex {
  userId: string
  model: string
  dimension: number
}

/** The rows that an index covers, as a condition. */
function coverage({ userId, model, dimension }: VectorIndex) {
  return `user_id = ${escapeLiteral(userId)} and model = ${escapeLiteral(model)} and dimension = ${dimension}`
}

/** Up to this many passages, an exact comparison is as fast as an index. */
export const EXACT_UNTIL = 10_000
/** The largest dimension that pgvector indexes in half precision. */
const MAX_DIMENSIONS = 4_000

/** The indexes of a node, between spaces. */
const BUILT = `select coalesce(string_agg(c.relname, ' '), '') from pg_class c
  where c.relkind = 'i' and c.relname like 'embeddings\\_near\\_%'`

/**
 * Builds an HNSW index for each owner with more passages than are compared exactly, without blocking anyone. One index for all owners would
 * return mostly other owners' rows. Indexes of other models and of deleted owners are dropped. On a cluster an index is on the shard that has
 * the owner; a shard that moved to another node left it behind, so it is built again.
 */
export async function buildVectorIndexes(
  { db, pool }: Pick<OpenDatabase, 'db' | 'pool'>,
  model: string,
  signal: AbortSignal,
  exactUntil = EXACT_UNTIL
) {
  await db.query(sql`delete from vector_indexes where model <> ${model}`)
  const built = (await runOnNodes(pool, BUILT)).flatMap(names => names.split(' ').filter(Boolean))
  const known = await db.query<{ name: string }>(sql`select name from vector_indexes`)
  const needed = new Set(known.map(({ name }) => name))
  for (const name of built) {
    if (!needed.has(name)) await runOnNodes(pool, `drop index concurrently if exists ${escapeIdentifier(name)}`)
  }
  const missing = await db.query<VectorIndex & { passages: number }>(sql`
    select large.user_id as "userId", e.model, e.dimension, large.passages::integer
    from (select user_id, sum(passages) as passages from search_totals group by user_id having sum(passages) > ${exactUntil}) large
    cross join lateral (select model, dimension from embeddings e where e.user_id = large.user_id and e.model = ${model} and e.dimension > 0 limit 1) e
    where not exists (select from vector_indexes v where v.user_id = large.user_id and v.model = e.model and v.dimension = e.dimension
        and v.name = any(${sql.param(built)}::text[]))
      and e.dimension <= ${MAX_DIMENSIONS} order by large.user_id`)
  for (const index of missing) {
    if (signal.aborted) return
    // Index names are short and of plain characters.
    const name = `embeddings_near_${createHash('sha256').update(coverage(index)).digest('hex').slice(0, 24)}`
    await build(pool, name, index, signal)
    await db.execute(sql`
      insert into vector_indexes (user_id, model, dimension, name) values (${index.userId}, ${model}, ${index.dimension}, ${name})
      on conflict (user_id, model) do update set dimension = excluded.dimension, name = excluded.name`)
  }
}

/**
 * Uses a connection of its own: the build exceeds every statement timeout and cannot run in a transaction. It uses one processor, since
 * searches go on. When the signal aborts or the process is killed, the database cancels the build.
 */
async function build(pool: OpenDatabase['pool'], name: string, index: VectorIndex & { passages: number }, signal: AbortSignal) {
  const client = await pool.connect()
  let released = false
  const release = () => {
    // The connection has other settings now, so it is closed.
    if (!released) client.release(true)
    released = true
  }
  signal.addEventListener('abort', release)
  try {
    // The signal may have aborted while the connection was being opened.
    signal.throwIfAborted()
    // Building is many times slower once the index outgrows this memory.
    const megabytes = Math.min(Math.max(Math.ceil((index.passages * (index.dimension * 2 + 500) * 1.3) / 2 ** 20), 64), 2_048)
    await client.query(`set statement_timeout = 0; set lock_timeout = 0; set maintenance_work_mem = '${megabytes}MB';
      set max_parallel_maintenance_workers = 0; set client_connection_check_interval = '1s'`)
    // Removes the invalid index of an interrupted build.
    await runAtOwner(client, index.userId, 'embeddings', () => `drop index concurrently if exists ${escapeIdentifier(name)}`)
    await runAtOwner(
      client,
      index.userId,
      'embeddings',
      table => `create index concurrently ${escapeIdentifier(name)} on ${escapeIdentifier(table)}
        using hnsw ((vector::halfvec(${index.dimension})) halfvec_cosine_ops) with (m = 16, ef_construction = 128) where ${coverage(index)}`
    )
  } finally {
    signal.removeEventListener('abort', release)
    release()
  }
}
