import { sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { countValues } from '../../../platform/text/frequency.ts'
import { fieldWeight } from './index-fields.ts'
import { indexWordsOf, stemWords } from './terms.ts'

/**
 * Adds the terms of a name to what is indexed about sessions, which must be locked. A few statements do it for many sessions; `indexFields`
 * removes the terms of the name before.
 */
export async function addNameToIndex(tx: Db, userId: string, sessionIds: readonly string[], name: string) {
  const isNames = sql`d.part = 'names' and d.session_id = any(${sql.param(sessionIds)}::text[])`
  const { rows } = await tx.execute<{ stemmer: string }>(
    sql`select distinct stemmer from search_documents d where d.user_id = ${userId} and ${isNames} order by stemmer`
  )
  for (const { stemmer } of rows) {
    const words = indexWordsOf(name)
    const termsOf = await stemWords(tx, stemmer, words)
    const counts = countValues(words.flatMap(word => termsOf.get(word) ?? []))
    const terms = sql`${sql.param([...counts.keys()])}::text[]`
    const weights = sql`${sql.param([...counts.values()].map(fieldWeight))}::real[]`
    await tx.execute(sql`
      update search_documents d set words = null, terms = array(select distinct term from unnest(d.terms || ${terms}) as t(term))
      where d.user_id = ${userId} and ${isNames} and d.stemmer = ${stemmer}
        and (d.words is not null or not d.terms @> ${terms})`)
    await tx.execute(sql`
      insert into search_terms (user_id, term, session_id, part, passages, most, ordinals, weights)
      select d.user_id, t.term, d.session_id, d.part, 0, t.weight, '{}', '{}'
      from search_documents d cross join unnest(${terms}, ${weights}) as t(term, weight)
      where d.user_id = ${userId} and ${isNames} and d.stemmer = ${stemmer}
      order by t.term, d.session_id on conflict do nothing`)
  }
}
