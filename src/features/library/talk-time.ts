import type { Person } from '../../contract/person.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'

export type TalkTime = Pick<Person, 'id' | 'name'> & { seconds: number }

/** Returns the people who speak longest in the listed sessions, longest first. */
export async function selectTalkTimes(db: Queryable, userId: string, limit: number) {
  return await db.query<TalkTime>(sql`
    select p.person_id as id, p.name, p.talk_seconds::float8 as seconds from people p
    where p.user_id = ${userId} and p.merged_into is null and p.name_key is not null and p.talk_seconds > 0
    order by p.talk_seconds desc, p.person_id limit ${limit}`)
}
