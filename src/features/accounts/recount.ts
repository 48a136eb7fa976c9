import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { selectUsers } from '../access/lookup.ts'

const PAGE = 500

/** Returns the ids of users whose counters differ from the rows that quotas count. */
export async function findMiscounted(db: Db): Promise<string[]> {
  const found: string[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: { userId: string }[] = await selectUsers(db, after, PAGE)
    const userIds = page.map(({ userId }) => userId)
    // One statement, so that it sees rows and counters at one moment.
    const { rows } = await db.execute<{ user_id: string }>(
      sql`select user_id from (${countsOf(sql`= any(${sql.param(userIds)}::text[])`)}) counted where is_wrong`
    )
    found.push(...rows.map(row => row.user_id))
    after = page.length === PAGE ? userIds.at(-1) : undefined
  }
  return found
}

/** Counts again what the quotas of a user count. A concurrent transaction adds its own change before or after. */
export async function recount(db: Db, userId: string) {
  await db.transaction(async tx => {
    tx.willLock('user counters')
    await tx.execute(sql`select from user_counters where user_id = ${userId} for update`)
    await tx.execute(sql`
      update user_counters c set folder_count = n.folders, person_count = n.people, bytes_stored = n.bytes
      from (${countsOf(sql`= ${userId}`)}) n where c.user_id = ${userId} and n.user_id = ${userId}`)
  })
}

/** The counts of owners that satisfy the condition, and whether their counters differ. */
function countsOf(owner: SQL) {
  return sql`
    select c.user_id, coalesce(f.count, 0) as folders, coalesce(p.count, 0) as people, coalesce(m.bytes, 0) as bytes,
      (c.folder_count, c.person_count, c.bytes_stored)
        is distinct from (coalesce(f.count, 0), coalesce(p.count, 0), coalesce(m.bytes, 0)) as is_wrong
    from user_counters c
    left join (select user_id, count(*) from folders where user_id ${owner} group by user_id) f on f.user_id = c.user_id
    left join (
      select user_id, count(*) from people where user_id ${owner} and merged_into is null and name_key is not null group by user_id
    ) p on p.user_id = c.user_id
    left join (
      select user_id, sum(bytes) as bytes from (
        select user_id, bytes from media where user_id ${owner}
        union all select user_id, bytes from transcripts where user_id ${owner}
        union all select user_id, bytes from uploads where user_id ${owner} and session_id is null
      ) stored group by user_id
    ) m on m.user_id = c.user_id
    where c.user_id ${owner}`
}
