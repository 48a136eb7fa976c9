import { isDeepStrictEqual } from 'node:util'
import { LIMITS } from '../../../contract/limits.ts'
import { and, eq, isNotNull, sql } from '../../../platform/db/drizzle.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/open.ts'
import { people, sessionPeople, type sessions } from '../../../platform/db/schema/index.ts'
import { sortPostings } from './postings.ts'
import { indexWordsOf, stemmerOf, stemWords, type Terms } from './terms.ts'
import { titleTermsOf } from './title-terms.ts'
import { AVERAGE_LENGTH, deleteTerms, INDEX_VERSION, termWeight, writeTerms } from './write-terms.ts'

export type About = Pick<
  typeof sessions.$inferSelect,
  'sessionId' | 'language' | 'title' | 'tags' | 'notes' | 'summary'
>

/** The parts of the index beside the transcript. */
export const FIELD_PARTS = ['title', 'names', 'about'] as const
type FieldPart = (typeof FIELD_PARTS)[number]

/** Indexes title, tags, people, notes and summary of a session. Call it with the session's row locked, after the change. */
export async function indexFields(tx: Db, userId: string, session: About) {
  await indexParts(tx, userId, session, FIELD_PARTS)
}

/** Indexes the fields that a change of a session has changed. Call it with the session's row locked. */
export async function indexChange(tx: Db, userId: string, before: About, after: About) {
  const isIndexed = (await findVersion(tx, userId, after.sessionId)) === INDEX_VERSION
  if (!isIndexed || before.language !== after.language) return await indexFields(tx, userId, after)
  const hasChanged = (field: 'title' | 'tags' | 'notes' | 'summary') => !isDeepStrictEqual(before[field], after[field])
  const small: FieldPart[] = [
    ...(hasChanged('title') ? ['title' as const] : []),
    ...(hasChanged('tags') ? ['names' as const] : [])
  ]
  // Reading a summary twice would take as long as all fields once.
  const isDone =
    !hasChanged('summary') &&
    (!hasChanged('notes') || (await indexDifference(tx, userId, after, [before.notes ?? ''], [after.notes ?? ''])))
  await indexParts(tx, userId, after, isDone ? small : [...small, 'about'])
}

/** The version of the index of a session's title. Undefined if the session has none. */
async function findVersion(tx: Db, userId: string, sessionId: string) {
  const { rows } = await tx.execute<{ version: number }>(sql`
    select version from search_documents where user_id = ${userId} and session_id = ${sessionId} and part = 'title'`)
  return rows[0]?.version
}

/** Indexes these parts of a session, with one lookup of stems for all of them. */
async function indexParts(tx: Db, userId: string, session: About, parts: readonly FieldPart[]) {
  const { sessionId } = session
  const stemmer = stemmerOf(session.language)
  const most = LIMITS.indexedWords.about
  const counted = []
  for (const part of parts) {
    const counts = countWords(await listTexts(tx, userId, session, part))
    counted.push({ part, counts, ranked: [...counts].sort(([, a], [, b]) => b - a).slice(0, most) })
  }
  const words = new Set(counted.flatMap(({ ranked }) => ranked.map(([word]) => word)))
  const termsOf = words.size > 0 ? await stemWords(tx, stemmer, [...words]) : new Map()
  for (const { part, counts, ranked } of counted) {
    const terms = countByTerm(ranked, termsOf)
    if (part === 'title') for (const term of titleTermsOf(session.title)) terms.set(term, 1)
    const postings = [...terms].map(([term, count]) => {
      return { term, ordinals: [], weights: [], most: fieldWeight(count) }
    })
    const known = counts.size > most ? null : counts.size
    await writeTerms(tx, userId, sessionId, part, {
      stemmer,
      passages: 0,
      postings: sortPostings(postings),
      words: known
    })
  }
}

/** The texts of a part, whose words are counted for each by itself, so that a change of one leaves the counts of the others. */
async function listTexts(tx: Db, userId: string, session: About, part: FieldPart) {
  if (part === 'title') return [session.title]
  if (part === 'about') return [session.notes ?? '', session.summary ?? '']
  return [session.tags.join('\n'), (await listNames(tx, userId, session.sessionId)).join('\n')]
}

/** The names of the people in a session, there and elsewhere. */
async function listNames(tx: Db, userId: string, sessionId: string) {
  const rows = await tx
    .select({ name: people.name, nameInSession: sessionPeople.nameInSession })
    .from(sessionPeople)
    .innerJoin(people, and(eq(people.userId, userId), eq(people.personId, sessionPeople.personId)))
    .where(and(matches(sessionPeople, { userId, sessionId }), isNotNull(people.nameKey)))
  return [...new Set(rows.flatMap(row => [row.name, row.nameInSession]))]
}

/** Adds the words of texts, in order, to counts. */
function countWords(texts: readonly string[], counts = new Map<string, number>(), by = 1) {
  for (const text of texts) for (const word of indexWordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + by)
  return counts
}

function countByTerm(words: Iterable<[string, number]>, terms: Terms) {
  const counts = new Map<string, number>()
  for (const [word, count] of words)
    for (const term of terms.get(word) ?? []) counts.set(term, (counts.get(term) ?? 0) + count)
  return counts
}

/** The weight of a term in the fields of a session, whose length does not count. */
export function fieldWeight(count: number) {
  return termWeight(count, AVERAGE_LENGTH)
}

/** Weights of greater counts are too close to tell them apart. */
const MAX_KNOWN_COUNT = 100
const COUNTS = new Map(Array.from({ length: MAX_KNOWN_COUNT }, (_, at) => [weightKey(fieldWeight(at + 1)), at + 1]))

function weightKey(weight: number) {
  return Math.round(weight * 1e4)
}

/** Writes the terms that differ between texts. Returns false, and writes nothing, if the index does not tell what is left of them. */
async function indexDifference(tx: Db, userId: string, { sessionId, language }: About, was: string[], is: string[]) {
  const stemmer = stemmerOf(language)
  const changes = [...countWords(is, countWords(was, new Map(), -1))].filter(([, by]) => by !== 0)
  const byTerm = countByTerm(
    changes,
    await stemWords(
      tx,
      stemmer,
      changes.map(([word]) => word)
    )
  )
  const terms = [...byTerm].filter(([, by]) => by !== 0)
  const document = await findTerms(
    tx,
    userId,
    sessionId,
    terms.map(([term]) => term)
  )
  const words = (document?.words ?? Number.POSITIVE_INFINITY) + changes.filter(([, by]) => by > 0).length
  if (document?.stemmer !== stemmer || document.version !== INDEX_VERSION || words > LIMITS.indexedWords.about)
    return false
  const counts = terms.map(([term, by]) => ({ term, count: countAfter(document.weights?.[term], by) }))
  if (counts.some(({ count }) => count === undefined)) return false
  await writeDifference(tx, userId, sessionId, {
    words,
    counts: counts.map(({ term, count = 0 }) => ({ term, count }))
  })
  return true
}

/** The count of a term whose weight is stored, after a change. Undefined if the weight does not tell it. */
function countAfter(weight: number | undefined, by: number) {
  const before = weight === undefined ? 0 : COUNTS.get(weightKey(weight))
  return before === undefined || before + by < 0 ? undefined : before + by
}

interface Document {
  stemmer: string
  version: number
  words: number | null
  /** The weights of those of the terms that are indexed. Null if none is. */
  weights: Record<string, number> | null
}

async function findTerms(tx: Db, userId: string, sessionId: string, terms: readonly string[]) {
  const { rows } = await tx.execute<Document & Record<string, unknown>>(sql`
    select d.stemmer, d.version, d.words, (
      select jsonb_object_agg(found.term, found.most) from unnest(${sql.param(terms)}::text[]) as e(term) cross join lateral (
        select t.term, t.most from search_terms t
        where t.user_id = ${userId} and t.term = e.term and t.session_id = ${sessionId} and t.part = 'about' limit 1
      ) found) as weights
    from search_documents d where d.user_id = ${userId} and d.session_id = ${sessionId} and d.part = 'about'`)
  return rows[0]
}

interface Difference {
  words: number
  /** The new counts of terms; those without an occurrence are removed. */
  counts: { term: string; count: number }[]
}

async function writeDifference(tx: Db, userId: string, sessionId: string, { words, counts }: Difference) {
  const left = counts.filter(({ count }) => count > 0)
  const gone = sql`${sql.param(counts.filter(({ count }) => count === 0).map(({ term }) => term))}::text[]`
  const terms = sql`${sql.param(left.map(({ term }) => term))}::text[]`
  const weights = sql`${sql.param(left.map(({ count }) => fieldWeight(count)))}::real[]`
  await tx.execute(sql`
    with before as materialized (
      select session_id from search_documents where user_id = ${userId} and session_id = ${sessionId} and part = 'about'
    ),
    removed as (${deleteTerms(userId, sessionId, 'about', sql`unnest(${gone}) as gone(term)`)}),
    document as (
      update search_documents set words = ${words}::int, terms = array(
        select term from unnest(terms) as t(term) where term <> all(${gone}) union select unnest(${terms}))
      where user_id = ${userId} and session_id = ${sessionId} and part = 'about'
        and (terms && ${gone} or not terms @> ${terms} or words <> ${words}::int)
    )
    select from before`)
  await tx.execute(sql`
    insert into search_terms (user_id, term, session_id, part, passages, most, ordinals, weights)
    select d.user_id, t.term, d.session_id, d.part, 0, t.weight, '{}', '{}'
    from search_documents d cross join unnest(${terms}, ${weights}) as t(term, weight)
    where d.user_id = ${userId} and d.session_id = ${sessionId} and d.part = 'about' order by t.term
    on conflict (user_id, term, session_id, part) do update set most = excluded.most`)
}
