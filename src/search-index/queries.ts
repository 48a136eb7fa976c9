import { and, eq, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { people, type SearchPart, searchTotals, sessionPeople } from '../db/schema/index.ts'
import type { Posting } from './postings.ts'

/** The rows of the terms in `known`, each found by its primary key: without statistics a join would compare every row with every term. */
function rowsOfKnown(userId: string, sessionId: string) {
  return sql`(
    select probe.ctid from known cross join lateral (
      select ctid from search_terms t
      where t.user_id = ${userId} and t.term = known.term and t.session_id = ${sessionId} and t.part = known.part limit 1
    ) probe) found`
}

/** Removes a session from the search index. Call it with the session's row locked. */
export async function removeTerms(tx: Db, userId: string, sessionId: string) {
  const { rows } = await tx.execute<{ part: SearchPart; stemmer: string; passages: number }>(sql`
    with document as (
      delete from search_documents where user_id = ${userId} and session_id = ${sessionId} returning part, stemmer, passages, terms
    ),
    known as (select part, unnest(terms) as term from document),
    removed as (delete from search_terms t using ${rowsOfKnown(userId, sessionId)} where t.ctid = found.ctid)
    select part, stemmer, passages from document`)
  const said = rows.find(row => row.part === 'said')
  if (said) await addToTotals(tx, userId, said.stemmer, -1, -said.passages)
}

export interface IndexedPart {
  part: SearchPart
  stemmer: string
  version: number
  passages: number
  postings: Posting[]
}

/**
 * Replaces the postings of one part of a session. Unchanged terms are not written, since most stay when a title changes. Call it with the
 * session's row locked.
 */
export async function writeTerms(tx: Db, userId: string, sessionId: string, document: IndexedPart) {
  const { part, stemmer, version, passages, postings } = document
  // In key order, so that each index page is visited once.
  const sorted = postings.toSorted((a, b) => (a.term < b.term ? -1 : 1))
  const { rows } = await tx.execute<{ stemmer: string; passages: number }>(sql`
    with entry as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(sorted)}::jsonb) as e(term text, most real, ordinals smallint[], weights real[])
    ),
    before as materialized (
      select stemmer, passages, terms from search_documents where user_id = ${userId} and session_id = ${sessionId} and part = ${part}
    ),
    document as (
      insert into search_documents (user_id, session_id, part, stemmer, version, passages, terms)
      select ${userId}, ${sessionId}, ${part}, ${stemmer}, ${version}::int, ${passages}::int, coalesce(array_agg(term), '{}') from entry
      on conflict (user_id, session_id, part) do update
        set stemmer = excluded.stemmer, version = excluded.version, passages = excluded.passages, terms = excluded.terms
    ),
    known as (select ${part} as part, gone.term from (select unnest(terms) as term from before except select term from entry) gone),
    removed as (delete from search_terms t using ${rowsOfKnown(userId, sessionId)} where t.ctid = found.ctid),
    written as (
      insert into search_terms as t (user_id, term, session_id, part, passages, most, ordinals, weights)
      select ${userId}, term, ${sessionId}, ${part}, cardinality(ordinals), most, ordinals, weights from entry
      on conflict (user_id, term, session_id, part) do update
        set passages = excluded.passages, most = excluded.most, ordinals = excluded.ordinals, weights = excluded.weights
        where (t.most, t.ordinals, t.weights) is distinct from (excluded.most, excluded.ordinals, excluded.weights)
    )
    select stemmer, passages from before`)
  if (part !== 'said') return
  const [before] = rows
  if (before) await addToTotals(tx, userId, before.stemmer, -1, -before.passages)
  await addToTotals(tx, userId, stemmer, 1, passages)
}

async function addToTotals(tx: Db, userId: string, stemmer: string, turn: 1 | -1, passages: number) {
  await tx
    .insert(searchTotals)
    .values({ userId, stemmer, sessions: turn, passages })
    .onConflictDoUpdate({
      target: [searchTotals.userId, searchTotals.stemmer],
      set: { sessions: sql`search_totals.sessions + excluded.sessions`, passages: sql`search_totals.passages + excluded.passages` }
    })
}

/** The names of the people in a session, there and elsewhere. */
export async function listNames(tx: Db, userId: string, sessionId: string): Promise<string[]> {
  const rows = await tx
    .select({ name: people.name, nameInSession: sessionPeople.nameInSession })
    .from(sessionPeople)
    .innerJoin(people, and(eq(people.userId, sessionPeople.userId), eq(people.personId, sessionPeople.personId)))
    .where(and(eq(sessionPeople.userId, userId), eq(sessionPeople.sessionId, sessionId)))
  return [...new Set(rows.flatMap(row => [row.name, row.nameInSession]))]
}

/**
 * Marks a person's sessions to be indexed again by the background job. Call it after the transaction that renames: inside it, the locks
 * could deadlock with a deletion.
 */
export async function markPersonForIndexing(db: Db, userId: string, personId: string) {
  await db.execute(sql`
    update search_documents set version = 0 where user_id = ${userId} and part = 'about' and session_id in (
      select session_id from session_people where user_id = ${userId} and person_id = ${personId})`)
}

/** Marks a session whose transcript has changed to be indexed again. */
export async function markTranscriptForIndexing(tx: Db, userId: string, sessionId: string) {
  await tx.execute(sql`
    update search_documents set version = 0 where user_id = ${userId} and session_id = ${sessionId} and part = 'said'`)
}
