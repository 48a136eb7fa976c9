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
  const places = sql`select ctid from ${table} where user_id = ${userId} and ${condition} limit ${atOnce}`
  const { rowCount } = await db.execute(deleteAt(userId, table, places))
  return rowCount ?? 0
}

/**
 * A statement that deletes the rows of an owner at the places that a subselect returns, and reads no others. Every place is in that range; the
 * planner, who does not know this, expects one place and takes each row by its own, whatever it believes about the owner.
 *
 * The planner expects one row of an owner who is new since the last ANALYZE, so it would read all of theirs. At worst, 1,300 of 130,000 terms
 * took on PostgreSQL 15 and the embedded engine: by `ctid = any(array(…))` 1.5 and 2.5 s; by key, with `term = any(array(…))`, 176 and 45 ms, and
 * more with each session of the owner; so, 64 and 24 ms. A join with a lateral subselect took over 15 s on PostgreSQL, of a fifth as many terms.
 */
export function deleteAt(userId: string, table: SQL, places: SQL) {
  return sql`delete from ${table} t using unnest(array(${places})) as found(place)
    where t.user_id = ${userId} and t.ctid = found.place and found.place between '(0,0)' and '(4294967295,65535)'`
}

/** Returns owners with rows that fulfil the condition, at least one if there is any. On a sharded database this reads all nodes. */
async function listOwners(db: Db, table: SQL, condition: SQL): Promise<string[]> {
  const { rows } = await db.execute<{ user_id: string }>(sql`
    select distinct user_id from (select user_id from ${table} where ${condition} limit 1000) found`)
  return rows.map(({ user_id }) => user_id)
}
