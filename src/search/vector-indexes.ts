import { createHash } from 'node:crypto'
import { type SQL, sql } from '../db/drizzle.ts'
import { escapeIdentifier, escapeLiteral } from '../db/literal.ts'
import type { Database, Db, OpenDatabase } from '../db/open.ts'
import { allowedSessions, type Filter } from './filter.ts'
import type { QueryEmbedding } from './query-embeddings.ts'

/** Up to this many passages, an exact comparison is as fast as an index. */
export const EXACT_UNTIL = 10_000
/** The largest dimension that pgvector indexes in half precision. */
const MAX_DIMENSIONS = 4_000

export interface VectorIndex {
  userId: string
  model: string
  dimension: number
}

/**
 * Builds an HNSW index for each owner with more passages than are compared exactly, without blocking anyone. One index for all owners would
 * return mostly other owners' rows.
 */
export async function buildVectorIndexes(
  { db, pool }: Pick<OpenDatabase, 'db' | 'pool'>,
  model: string,
  signal: AbortSignal,
  exactUntil = EXACT_UNTIL
) {
  await dropUnused(db, pool, model)
  for (const { userId, dimension, passages } of await listLarge(db, model, exactUntil)) {
    if (signal.aborted) return
    if (dimension > MAX_DIMENSIONS) continue
    const name = `embeddings_near_${digestOf({ userId, model, dimension })}`
    await build(pool, name, { userId, model, dimension }, passages, signal)
    await db.execute(sql`
      insert into vector_indexes (user_id, model, dimension, name) values (${userId}, ${model}, ${dimension}, ${name})
      on conflict (user_id, model) do update set dimension = excluded.dimension, name = excluded.name`)
  }
}

async function listLarge(db: Db, model: string, exactUntil: number) {
  const { rows } = await db.execute<{ user_id: string; passages: number; dimension: number }>(sql`
    select large.user_id, large.passages::integer, e.dimension
    from (select user_id, sum(passages) as passages from search_totals group by user_id having sum(passages) > ${exactUntil}) large
    cross join lateral (select dimension from embeddings e where e.user_id = large.user_id and e.model = ${model} limit 1) e
    where not exists (select from vector_indexes v where v.user_id = large.user_id and v.model = ${model} and v.dimension = e.dimension)
    order by large.user_id`)
  return rows.map(({ user_id: userId, ...row }) => ({ userId, ...row }))
}

/**
 * Uses a connection of its own: the build exceeds every statement timeout and cannot run in a transaction. It uses one processor, since
 * searches go on. When the signal aborts or the process is killed, the database cancels the build.
 */
async function build(
  pool: OpenDatabase['pool'],
  name: string,
  { userId, model, dimension }: VectorIndex,
  passages: number,
  signal: AbortSignal
) {
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
    await client.query(`set statement_timeout = 0; set lock_timeout = 0; set maintenance_work_mem = '${memoryFor(passages, dimension)}MB';
      set max_parallel_maintenance_workers = 0; set client_connection_check_interval = '1s'`)
    // Removes the invalid index of an interrupted build.
    await client.query(`drop index concurrently if exists ${escapeIdentifier(name)}`)
    await client.query(`create index concurrently ${escapeIdentifier(name)} on embeddings
      using hnsw ((vector::halfvec(${dimension})) halfvec_cosine_ops) with (m = 16, ef_construction = 128)
      where user_id = ${escapeLiteral(userId)} and model = ${escapeLiteral(model)} and dimension = ${dimension}`)
  } finally {
    signal.removeEventListener('abort', release)
    release()
  }
}

/** Building is many times slower once the index outgrows this memory. */
function memoryFor(passages: number, dimension: number) {
  return Math.min(Math.max(Math.ceil((passages * (dimension * 2 + 500) * 1.3) / 2 ** 20), 64), 2_048)
}

/** Drops the indexes of other models and of deleted owners. */
async function dropUnused(db: Db, pool: OpenDatabase['pool'], model: string) {
  await db.execute(sql`delete from vector_indexes where model <> ${model}`)
  const { rows } = await db.execute<{ name: string }>(sql`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'embeddings'::regclass and c.relname like 'embeddings\\_near\\_%'
      and not exists (select from vector_indexes v where v.name = c.relname)`)
  for (const { name } of rows) await pool.query(`drop index concurrently if exists ${escapeIdentifier(name)}`)
}

/** How long a process may not know a new index; until then it compares exactly, which is slower and as correct. */
const KNOWN_FOR_MS = 60_000

/** The owners with an index, refreshed regularly. */
export function openVectorIndexes(db: Database) {
  let known = new Map<string, VectorIndex>()
  let large = new Set<string>()
  let readAt = Number.NEGATIVE_INFINITY

  async function read() {
    const { rows } = await db.execute<{ user_id: string; model: string; dimension: number }>(
      sql`select user_id, model, dimension from vector_indexes`
    )
    known = new Map(rows.map(({ user_id: userId, model, dimension }) => [`${userId} ${model} ${dimension}`, { userId, model, dimension }]))
    large = new Set(rows.map(({ user_id: userId }) => userId))
  }

  return {
    find(userId: string, model: string, dimension: number): VectorIndex | undefined {
      if (performance.now() - readAt > KNOWN_FOR_MS) {
        readAt = performance.now()
        // Runs in the background; searches before its end use the previous list.
        read().catch(() => {})
      }
      return known.get(`${userId} ${model} ${dimension}`)
    },
    /** Whether the owner has an index. */
    isLarge: (userId: string) => large.has(userId)
  }
}
export type VectorIndexes = ReturnType<typeof openVectorIndexes>

/** The number of passages read from the index. Long talks about one subject may be few sessions; then `wide` is used. */
export const FROM_INDEX = { usual: 128, wide: 1_000 }

/**
 * The sessions of an owner's nearest passages, from the index. The statement contains owner and model as literals, since the planner uses a
 * partial index only when it sees that it applies.
 */
export function indexedStatement(
  { userId, model, dimension }: VectorIndex,
  near: QueryEmbedding,
  filter: Filter,
  { passages, candidates }: { passages: number; candidates: number }
): SQL {
  const halfvec = sql.raw(`halfvec(${dimension})`)
  const distance = sql`vector::${halfvec} <=> ${near.text}::${halfvec}`
  const allowed = allowedSessions(userId, filter)
  return sql`select session_id as "sessionId", 1 - min(distance) as similarity from (
      select session_id, ${distance} as distance from embeddings
      where ${sql.raw(`user_id = ${escapeLiteral(userId)} and model = ${escapeLiteral(model)} and dimension = ${dimension}`)}
      ${allowed && sql`and session_id in (${allowed})`}
      order by distance limit ${passages}
    ) near group by session_id order by min(distance) limit ${candidates}`
}

/** For index names, which must be short and of plain characters. */
function digestOf({ userId, model, dimension }: VectorIndex) {
  return createHash('sha256').update(`${userId} ${model} ${dimension}`).digest('hex').slice(0, 24)
}
