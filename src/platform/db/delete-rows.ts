import type { Db } from './database.ts'
import { type SQL, sql } from './drizzle.ts'

/** Deletes the rows of all owners that fulfil the condition, owner by owner, up to a maximum at once. Returns how many. */
export async function deleteRowsOfAll(
  db: Db,
  table: SQL,
  condition: SQL,
  atOnce: number,
  signal: AbortSignal
): Promise<number> {
  let removed = 0
  while (!signal.aborted) {
    const owners = await listOwners(db, table, condition)
    for (const userId of owners) removed += await deleteRows(db, userId, table, condition, atOnce)
    if (owners.length === 0) break
  }
  return removed
}

/** Deletes rows of an owner that fulfil the condition, in no order, up to a maximum. Returns how many. */
export async function deleteRows(db: Db, userId: string, table: SQL, condition: SQL, atOnce: number) {
  const { rowCount } = await db.execute(sql`
    delete from ${table} where user_id = ${userId} and ctid = any(array(
      select ctid from ${table} where user_id = ${userId} and ${condition} limit ${atOnce}))`)
  return rowCount ?? 0
}

/** Returns owners with rows that fulfil the condition, at least one if there is any. On a sharded database this reads all nodes. */
async function listOwners(db: Db, table: SQL, condition: SQL): Promise<string[]> {
  const { rows } = await db.execute<{ user_id: string }>(sql`
    select distinct user_id from (select user_id from ${table} where ${condition} limit 1000) found`)
  return rows.map(({ user_id }) => user_id)
}
