import { createHash } from 'node:crypto'
import { sql } from '../../platform/db/drizzle.ts'
import { escapeIdentifier } from '../../platform/db/literal.ts'
import type { OpenDatabase } from '../../platform/db/open.ts'
import { runAtOwner, runOnNodes } from '../../platform/db/shards.ts'
import { coverage, type VectorIndex } from '../../platform/db/vector.ts'

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
async function build(
  pool: OpenDatabase['pool'],
  name: string,
  index: VectorIndex & { passages: number },
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
    // Building is many times slower once the index outgrows this memory.
    const megabytes = Math.min(
      Math.max(Math.ceil((index.passages * (index.dimension * 2 + 500) * 1.3) / 2 ** 20), 64),
      2_048
    )
    await client.query(`set statement_timeout = 0; set lock_timeout = 0; set maintenance_work_mem = '${megabytes}MB';
      set max_parallel_maintenance_workers = 0; set client_connection_check_interval = '1s'`)
    // Removes the invalid index of an interrupted build.
    await runAtOwner(
      client,
      index.userId,
      'embeddings',
      () => `drop index concurrently if exists ${escapeIdentifier(name)}`
    )
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
