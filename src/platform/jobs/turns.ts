import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

/** The current turn advances at least once in this period. */
const SECONDS_PER_TURN = 600

/**
 * Takes the next turn of an owner for a session to process; a job with an earlier turn runs first. So owners alternate, as in start-time fair
 * queueing: the first job of an owner has the current turn, or the next one after they have had that, and each further job of an owner with
 * unfinished sessions has the turn after the last. An owner has at most one job in each turn, so a job is passed by as many jobs as there are
 * other owners with work, times the turns that it is ahead. The current turn is that of the next job in the queue, or else of the newest that
 * runs. It is at least the number of periods since 1970, so that a job waits no longer than its turns ahead in periods, even if new owners
 * keep coming.
 *
 * Concurrent transactions of one owner may take one turn twice, because each sees the sessions that are committed. Locks the counters of the
 * user, so call it before the commit.
 */
export async function takeTurn(tx: Db, userId: string, sessionId: string): Promise<number> {
  const current = await findCurrentTurn(tx)
  // A statement of its own, because a cluster refuses a subselect in `on conflict`.
  const { rows: unfinished } = await tx.execute(sql`
    select from sessions where user_id = ${userId} and state = 'processing' and session_id <> ${sessionId}
      and not coalesce((phone->>'ongoing')::boolean, false) limit 1`)
  tx.willLock('user counters')
  const { rows } = await tx.execute<{ turn: number }>(sql`
    insert into user_counters as c (user_id, last_turn) values (${userId}, ${current}::int)
    on conflict (user_id) do update set last_turn = greatest(excluded.last_turn,
      case when ${unfinished.length > 0}::boolean or c.last_turn <= excluded.last_turn then c.last_turn + 1 end)
    returning last_turn as turn`)
  return rows[0]?.turn ?? current
}

/** Reads one entry of the index that jobs are fetched by. Jobs that wait for a retry do not count, because others pass them. */
async function findCurrentTurn(tx: Db) {
  const { rows } = await tx.execute<{ turn: number }>(sql`
    select greatest(floor(extract(epoch from clock_timestamp()) / ${SECONDS_PER_TURN}::int)::int, coalesce(
      (
        select -priority from pgboss.job
        where name = 'process-session' and state < 'active' and not blocked and start_after <= now()
        order by priority desc, created_on limit 1
      ),
      (select max(-priority) from pgboss.job where name = 'process-session' and state = 'active' and group_id is not null)
    )) as turn`)
  return rows[0]?.turn ?? 0
}
