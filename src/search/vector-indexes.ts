import { createHash } from 'node:crypto'
import { sql } from '../db/drizzle.ts'
import { escapeIdentifier, escapeLiteral } from '../db/literal.ts'
import type { Database, Db, OpenDatabase, Statement } from '../db/open.ts'
import type { Filter } from './filter.ts'
import { prepared } from './statements.ts'

/** Up to so many passages, comparing all of an owner's is as fast as an index, and exact. */
export const EXACT_UNTIL = 10_000
/** pgvector indexes halves of no more. */
const MOST_DIMENSIONS = 4_000

export interface VectorIndex {
  userId: string
  model: string
  dimension: number
}

/**
 * Makes an index for each owner with more passages than are compared one by one, without holding anyone up. The vectors of all owners in
 * one index would answer most with others' rows; each owner's index has their own alone, so the filter by owner costs no result.
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
    if (dimension > MOST_DIMENSIONS) continue
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
 * On a connection of its own: it takes longer than any other statement may, and cannot be in a transaction. It uses one processor, since
 * searches go on beside it. When the signal comes, or this process is killed, the database gives it up as well.
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
    // With its settings changed, the connection is no good to others.
    if (!released) client.release(true)
    released = true
  }
  signal.addEventListener('abort', release)
  try {
    // It may have come while the connection was waited for.
    signal.throwIfAborted()
    await client.query(`set statement_timeout = 0; set lock_timeout = 0; set maintenance_work_mem = '${memoryFor(passages, dimension)}MB';
      set max_parallel_maintenance_workers = 0; set client_connection_check_interval = '1s'`)
    // What an interrupted attempt has left is no good.
    await client.query(`drop index concurrently if exists ${escapeIdentifier(name)}`)
    await client.query(`create index concurrently ${escapeIdentifier(name)} on embeddings
      using hnsw ((vector::halfvec(${dimension})) halfvec_cosine_ops) with (m = 16, ef_construction = 128)
      where user_id = ${escapeLiteral(userId)} and model = ${escapeLiteral(model)} and dimension = ${dimension}`)
  } finally {
    signal.removeEventListener('abort', release)
    release()
  }
}

/** Building is many times slower once the index outgrows this. */
function memoryFor(passages: number, dimension: number) {
  return Math.min(Math.max(Math.ceil((passages * (dimension * 2 + 500) * 1.3) / 2 ** 20), 64), 2_048)
}

/** Takes away the indexes of other models, which nobody asks any more, and of owners that are gone. */
async function dropUnused(db: Db, pool: OpenDatabase['pool'], model: string) {
  await db.execute(sql`delete from vector_indexes where model <> ${model}`)
  const { rows } = await db.execute<{ name: string }>(sql`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'embeddings'::regclass and c.relname like 'embeddings\\_near\\_%'
      and not exists (select from vector_indexes v where v.name = c.relname)`)
  for (const { name } of rows) await pool.query(`drop index concurrently if exists ${escapeIdentifier(name)}`)
}

/** How long a process may not know of a new index: until then it compares one by one, which is slower and as right. */
const KNOWN_FOR_MS = 60_000

/** Which owners have an index, read now and then. */
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
        // Nobody waits for it, and who comes before it is read is answered all the same.
        read().catch(() => {})
      }
      return known.get(`${userId} ${model} ${dimension}`)
    },
    /** Whether the owner has so much that there is an index of it. */
    isLarge: (userId: string) => large.has(userId)
  }
}
export type VectorIndexes = ReturnType<typeof openVectorIndexes>

/** So many passages are taken from the index. They may be of few sessions, in a library of long talks about one thing: then so many more are. */
export const FROM_INDEX = { usual: 128, wide: 1_000 }

/**
 * The sessions of an owner's nearest passages, from the index. It names its owner and model, since a parameter would keep the database
 * from seeing that the index fits. Parameters: user, vector, how many sessions, then the filters.
 */
export function indexedStatement({ userId, model, dimension }: VectorIndex, filter: Filter, passages: number): Statement {
  return prepared(
    `search_indexed_${passages}_${digestOf({ userId, model, dimension })}`,
    filter,
    4,
    allowed => `select session_id, 1 - min(distance), $1::text from (
        select session_id, vector::halfvec(${dimension}) <=> $2::halfvec(${dimension}) as distance from embeddings
        where user_id = ${escapeLiteral(userId)} and model = ${escapeLiteral(model)} and dimension = ${dimension}
        ${allowed ? `and session_id in (${allowed})` : ''}
        order by vector::halfvec(${dimension}) <=> $2::halfvec(${dimension}) limit ${passages}
      ) near group by session_id order by min(distance) limit $3`
  )
}

/** For names, which must be short and of plain letters. */
function digestOf({ userId, model, dimension }: VectorIndex) {
  return createHash('sha256').update(`${userId} ${model} ${dimension}`).digest('hex').slice(0, 24)
}
