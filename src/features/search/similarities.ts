import type { QueryEmbedding } from '../../platform/ai/query-embedder.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { coverage, vectorText } from '../../platform/db/vector.ts'

/** The weight of similarity beside the lexical score, as z-scores of each. */
export const SIMILARITY_WEIGHT = 0.4

/** The number of passages read from a vector index. */
const MAX_PASSAGES = 128
/** Comparing all passages of up to this many sessions is faster than an index scan. */
const MAX_EXACT_SESSIONS = 250

/** The sessions nearest to the query embedding; from the owner's vector index, where there is one and a filter leaves many sessions. */
export async function listNearest(
  db: Queryable,
  userId: string,
  near: QueryEmbedding,
  allowed: SQL | undefined,
  candidates: number
) {
  const { model, vector } = near
  const isAllowed = allowed && sql`and session_id in (${allowed})`
  if (!(await usesIndex(db, userId, near, allowed)))
    return await findSimilarities(db, userId, near, isAllowed, candidates)
  const type = sql.raw(`halfvec(${vector.length})`)
  const distance = sql`vector::${type} <=> ${vectorText(vector)}::${type}`
  // Owner and model are literals: the planner uses a partial index only when it sees that it applies.
  return await querySimilarities(
    db,
    sql`
      select session_id as "sessionId", 1 - min(distance) as similarity from (
        select session_id, ${distance} as distance from embeddings near
        where ${sql.raw(coverage({ userId, model, dimension: vector.length }))} ${isAllowed} and ${isCompleted(userId)}
        order by distance limit ${MAX_PASSAGES}
      ) near group by session_id order by similarity desc limit ${candidates}`
  )
}

async function usesIndex(db: Queryable, userId: string, { model, vector }: QueryEmbedding, allowed: SQL | undefined) {
  const rows = await db.query(sql`
    select 1 from vector_indexes where user_id = ${userId} and model = ${model} and dimension = ${vector.length}
      ${allowed && sql`and (select count(*) from (${allowed} limit ${MAX_EXACT_SESSIONS + 1}) few) > ${MAX_EXACT_SESSIONS}::int`}`)
  return rows.length > 0
}

/** The similarities of the sessions on which `condition` holds, by exact comparison. Sessions without embeddings are left out. */
export async function findSimilarities(
  db: Queryable,
  userId: string,
  { model, vector }: QueryEmbedding,
  condition: SQL | undefined,
  candidates: number
) {
  return await querySimilarities(
    db,
    sql`
      select session_id as "sessionId", similarity from (
        select session_id, 1 - min(vector <=> ${vectorText(vector)}::halfvec) as similarity from embeddings
        where user_id = ${userId} and model = ${model} and dimension = ${vector.length} ${condition}
        group by session_id order by similarity desc offset 0
      ) near where ${isCompleted(userId)} order by similarity desc limit ${candidates}`
  )
}

/** Sessions in the trash keep their embeddings. `offset 0` makes the planner look up only the nearest sessions, one by one. */
function isCompleted(userId: string) {
  return sql`exists (select from sessions s where s.user_id = ${userId} and s.session_id = near.session_id and s.state = 'completed' offset 0)`
}

async function querySimilarities(db: Queryable, statement: SQL): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ sessionId: string; similarity: number }>(statement)
  return new Map(rows.map(({ sessionId, similarity }) => [sessionId, similarity]))
}
