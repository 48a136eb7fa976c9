import { eq, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { people, type SearchPart, searchDocuments, searchTotals, sessionPeople } from '../db/schema/index.ts'
import type { Entry } from './entries.ts'

/** Takes what search knows of a part of a session, or of all of it, out again. Call it with the session's row locked. */
export async function removeTerms(tx: Db, userId: string, sessionId: string, part?: SearchPart) {
  const parts = part ? sql`and d.part = ${part}` : sql``
  await tx.execute(sql`
    delete from search_terms t using search_documents d cross join lateral unnest(d.terms) as known(term)
    where d.user_id = ${userId} and d.session_id = ${sessionId} ${parts}
      and t.user_id = ${userId} and t.term = known.term and t.session_id = ${sessionId} and t.part = d.part`)
  const { rows } = await tx.execute<{ part: SearchPart; stemmer: string; passages: number }>(sql`
    delete from search_documents d where d.user_id = ${userId} and d.session_id = ${sessionId} ${parts}
    returning part, stemmer, passages`)
  const said = rows.find(row => row.part === 'said')
  if (said) await countIn(tx, userId, said.stemmer, -1, -said.passages)
}

export interface NewDocument {
  part: SearchPart
  stemmer: string
  version: number
  passages: number
  entries: Entry[]
}

/** Adds what search is to know of a part of a session, which had none. Call it with the session's row locked. */
export async function insertTerms(tx: Db, userId: string, sessionId: string, { entries, ...document }: NewDocument) {
  // In the order of the key, so that the pages of the index are each visited once.
  const sorted = entries.toSorted((a, b) => (a.term < b.term ? -1 : 1))
  await tx.insert(searchDocuments).values({ userId, sessionId, ...document, terms: sorted.map(({ term }) => term) })
  await tx.execute(sql`
    insert into search_terms (user_id, term, session_id, part, passages, most, ordinals, weights)
    select ${userId}, term, ${sessionId}, ${document.part}, cardinality(ordinals), most, ordinals, weights
    from jsonb_to_recordset(${JSON.stringify(sorted)}::jsonb) as e(term text, most real, ordinals smallint[], weights real[])`)
  if (document.part === 'said') await countIn(tx, userId, document.stemmer, 1, document.passages)
}

async function countIn(tx: Db, userId: string, stemmer: string, turn: 1 | -1, passages: number) {
  await tx
    .insert(searchTotals)
    .values({ userId, stemmer, sessions: turn, passages })
    .onConflictDoUpdate({
      target: [searchTotals.userId, searchTotals.stemmer],
      set: { sessions: sql`search_totals.sessions + excluded.sessions`, passages: sql`search_totals.passages + excluded.passages` }
    })
}

/** What the people heard in a session are called, there and elsewhere. */
export async function listNames(tx: Db, userId: string, sessionId: string): Promise<string[]> {
  const rows = await tx
    .select({ name: people.name, nameInSession: sessionPeople.nameInSession })
    .from(sessionPeople)
    .innerJoin(people, sql`${people.userId} = ${sessionPeople.userId} and ${people.personId} = ${sessionPeople.personId}`)
    .where(sql`${eq(sessionPeople.userId, userId)} and ${sessionPeople.sessionId} = ${sessionId}`)
  return [...new Set(rows.flatMap(row => [row.name, row.nameInSession]))]
}

/**
 * What search knows of a person's sessions is no longer what they are called; the job that keeps sessions findable makes it anew. Call it
 * after the transaction that renames: one that locks the person would wait for a deletion that waits for the person.
 */
export async function outdateSessionsOf(db: Db, userId: string, personId: string) {
  await db.execute(sql`
    update search_documents set version = 0 where user_id = ${userId} and part = 'about' and session_id in (
      select session_id from session_people where user_id = ${userId} and person_id = ${personId})`)
}

/** The same of one session whose transcript has changed. */
export async function outdateSaid(tx: Db, userId: string, sessionId: string) {
  await tx.execute(sql`
    update search_documents set version = 0 where user_id = ${userId} and session_id = ${sessionId} and part = 'said'`)
}
