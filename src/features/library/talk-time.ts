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

/** Returns the people who speak longest in the listed sessions between two instants, longest first. */
export async function selectTalkTimesWithin(
  db: Queryable,
  userId: string,
  { since, until }: { since: string; until: string },
  limit: number
) {
  return await db.query<TalkTime>(sql`
    select p.person_id as id, p.name, spoken.seconds from (
      select m.person_id, sum(m.talk_seconds)::float8 as seconds
      from session_people m join sessions s on s.user_id = ${userId} and s.session_id = m.session_id and s.state = 'completed'
      where m.user_id = ${userId} and m.sort_at >= ${since}::timestamptz and m.sort_at < ${until}::timestamptz
      group by m.person_id
    ) spoken join people p on p.user_id = ${userId} and p.person_id = spoken.person_id
    where p.merged_into is null and p.name_key is not null and spoken.seconds > 0
    order by spoken.seconds desc, p.person_id limit ${limit}`)
}

/** The speaking time of some people in the listed sessions, by their ids. */
export async function findTalkSeconds(db: Queryable, userId: string, personIds: readonly string[]) {
  const rows = await db.query<{ id: string; seconds: number }>(sql`
    select p.person_id as id, p.talk_seconds::float8 as seconds from people p
    where p.user_id = ${userId} and p.person_id = any(${sql.param([...personIds])}::text[])`)
  return new Map(rows.map(({ id, seconds }) => [id, seconds]))
}
