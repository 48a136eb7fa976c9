import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { operation } from '../access/operation.ts'
import { IS_LISTED, IS_UNCONFIRMED } from '../library/person-row.ts'
import { findTalkSeconds } from '../library/talk-time.ts'
import type { Services } from '../services.ts'

export interface PeopleCounts {
  all: number
  /** Those whose names came with conversations, and whom the user has neither named nor confirmed. */
  unconfirmed: number
  /** The longest speaking time of anyone. */
  longest: number
}

/** Counts the people of a user. */
export const countPeople = operation(
  'listPeople',
  async ({ db }: Pick<Services, 'db'>, actor): Promise<PeopleCounts> => {
    const { userId } = actor
    const [row] = await db.query<PeopleCounts>(sql`
      select count(*)::int as all, count(*) filter (where ${IS_UNCONFIRMED})::int as unconfirmed,
        coalesce(max(p.talk_seconds), 0)::float8 as longest
      from people p where p.user_id = ${userId} and ${IS_LISTED}`)
    return row ?? { all: 0, unconfirmed: 0, longest: 0 }
  }
)

/** Returns the speaking time of some people by their ids. */
export const listTalkSeconds = operation(
  'listPeople',
  async ({ db }: Pick<Services, 'db'>, actor, personIds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    return await findTalkSeconds(db, actor.userId, personIds)
  }
)

/** The newest sessions of a person that their company is taken from, so that a page costs the same for everyone. */
const NEWEST = 200

export interface Company {
  /** The names that transcripts have for this person. */
  names: string[]
  /** The part of the speaking time that is theirs, from 0 to 1. Null without any time. */
  share: number | null
  /** The people who speak in the most of these sessions, with the part of the sessions. */
  others: { id: string; name: string; share: number }[]
}

const MAX_OTHERS = 5

/** Returns how a person is called, how much they say, and with whom, in their newest sessions. */
export const getCompany = operation(
  'getPerson',
  async ({ db }: Pick<Services, 'db'>, actor, personId: string): Promise<Company> => {
    const { userId } = actor
    const [names, shares, others] = await Promise.all([
      selectNames(db, userId, personId),
      selectShare(db, userId, personId),
      selectOthers(db, userId, personId)
    ])
    return { names, share: shares, others }
  }
)

function newest(userId: string, personId: string) {
  return sql`select m.session_id, m.talk_seconds, m.name_in_session from session_people m
    where m.user_id = ${userId} and m.person_id = ${personId} order by m.sort_at desc limit ${NEWEST}`
}

async function selectNames(db: Queryable, userId: string, personId: string) {
  const rows = await db.query<{ name: string }>(sql`
    select name_in_session as name from (${newest(userId, personId)}) n group by 1 order by count(*) desc, 1 limit 5`)
  return rows.map(({ name }) => name)
}

async function selectShare(db: Queryable, userId: string, personId: string) {
  const [row] = await db.query<{ share: number | null }>(sql`
    with n as materialized (${newest(userId, personId)})
    select (select sum(talk_seconds) from n) / nullif(sum(m.talk_seconds), 0) as share
    from session_people m where m.user_id = ${userId} and m.session_id in (select session_id from n)`)
  return row?.share ?? null
}

async function selectOthers(db: Queryable, userId: string, personId: string) {
  return await db.query<Company['others'][number]>(sql`
    with n as materialized (${newest(userId, personId)})
    select p.person_id as id, p.name, count(*)::float8 / (select count(*) from n) as share
    from session_people m join people p on p.user_id = ${userId} and p.person_id = m.person_id
    where m.user_id = ${userId} and m.session_id in (select session_id from n) and m.person_id <> ${personId}
      and p.name_key is not null and p.merged_into is null
    group by p.person_id, p.name order by count(*) desc, p.person_id limit ${MAX_OTHERS}`)
}
