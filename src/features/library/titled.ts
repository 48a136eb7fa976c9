import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { titleTermsOf, titleWordsOf, titleWordTerm } from './index/title-terms.ts'

/** The sessions whose title has some words: their ids if they are few, and else a condition on the session `s`. */
export interface Titled {
  sessionIds?: string[]
  has?: SQL
}

/** Up to this number the sessions are looked up; of more, a page in list order is full soon. */
const FEW = 500
const MAX_WORDS = 50

/** Finds the sessions whose title has all words of the text. `everyState` includes those that the index lacks: not completed, or in the trash. */
export async function findTitled(
  db: Queryable,
  userId: string,
  text: string,
  { everyState }: { everyState: boolean }
): Promise<Titled> {
  const terms = [...new Set(titleWordsOf(text))].slice(0, MAX_WORDS).map(titleWordTerm)
  const hasAll = (sessionId: SQL) => sql`not exists (
    select from unnest(${sql.param(terms)}::text[]) as w(term) where not exists (
      select from search_terms h where h.user_id = ${userId} and h.term = w.term and h.session_id = ${sessionId} and h.part = 'title'))`
  const [others, [rarest]] = await Promise.all([
    everyState ? listOthers(db, userId, terms) : [],
    db.query<{ term: string; sessions: number }>(sql`
      select w.term, (
        select count(*)::integer from (select from search_terms c where c.user_id = ${userId} and c.term = w.term limit ${FEW + 1}) few
      ) as sessions from unnest(${sql.param(terms)}::text[]) as w(term) order by sessions limit 1`)
  ])
  if (!rarest || rarest.sessions > FEW || others.length > FEW)
    return { has: sql`(${hasAll(sql`s.session_id`)} or s.session_id = any(${sql.param(others)}::text[]))` }
  const rows = await db.query<{ sessionId: string }>(sql`
    select session_id as "sessionId" from search_terms t
    where t.user_id = ${userId} and t.term = ${rarest.term} and t.part = 'title' and ${hasAll(sql`t.session_id`)}`)
  return { sessionIds: [...rows.map(({ sessionId }) => sessionId), ...others] }
}

/** The sessions without an index, by their titles themselves. */
async function listOthers(db: Queryable, userId: string, terms: readonly string[]) {
  const rows = await db.query<{ sessionId: string; title: string }>(sql`
    select session_id as "sessionId", title from sessions where user_id = ${userId} and state <> 'completed'`)
  return rows.flatMap(({ sessionId, title }) => {
    const known = new Set(titleTermsOf(title))
    return terms.every(term => known.has(term)) ? sessionId : []
  })
}
