import { sql } from '../../platform/db/drizzle.ts'
import { operation } from '../access/operation.ts'
import type { Services } from '../services.ts'

export interface LibraryCounts {
  completed: number
  processing: number
  failed: number
  deleted: number
  /** The months with a listed session as YYYY-MM, the latest first. A session at the edge of a month may be in the next one elsewhere. */
  months: string[]
}

/** Counts the sessions of a user by state, and names the months that have any. */
export const countLibrary = operation(
  'countLibrary',
  async ({ db }: Pick<Services, 'db'>, actor): Promise<LibraryCounts> => {
    const { userId } = actor
    const [row] = await db.query<LibraryCounts>(sql`
      select coalesce(sum(months.sessions), 0)::int as completed,
        (select count(*)::int from sessions where user_id = ${userId} and state = 'processing') as processing,
        (select count(*)::int from sessions where user_id = ${userId} and state = 'failed') as failed,
        (select count(*)::int from sessions where user_id = ${userId} and state = 'deleted') as deleted,
        coalesce(array_agg(months.month order by months.month desc), '{}') as months
      from (
        select to_char(day, 'YYYY-MM') as month, sum(sessions) as sessions from session_days
        where user_id = ${userId} group by 1 having sum(sessions) > 0
      ) months`)
    return row ?? { completed: 0, processing: 0, failed: 0, deleted: 0, months: [] }
  }
)
