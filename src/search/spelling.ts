import { sql } from '../db/drizzle.ts'
import type { Db, Queryable } from '../db/open.ts'
import { stemWords } from '../search-index/terms.ts'
import type { TermsByStemmer } from './lexical.ts'

/** A term that is only near a word of the query counts less. */
const NEAR_WEIGHT = 0.8
/** The longest unknown words of a query that are looked up; each takes about 500 lookups in the index. */
const MAX_UNKNOWN = 3
const MAX_COMPLETIONS = 20
/** Shorter words have too many others near them. Digits are not mistyped letters. */
const CORRECTABLE = /^(?:[a-z\u00df-\u024f]{4,20}|[а-яё]{4,20}|[α-ώ]{4,20})$/u
const ALPHABETS = ['abcdefghijklmnopqrstuvwxyz', 'абвгдежзийклмнопрстуфхцчшщъыьэюяё', 'αβγδεζηθικλμνξοπρστυφχψως']

/**
 * The terms of the query's words that the owner's library has, with their weights. In place of a word that it does not have, those one
 * typing error away from it and those that begin with it.
 */
export async function findQueryTerms(
  { db, replica }: { db: Pick<Db, 'execute'>; replica: Queryable },
  userId: string,
  words: ReadonlyMap<string, number>,
  byStemmer: TermsByStemmer
): Promise<Map<string, number>> {
  const termsOf = (word: string) => [...byStemmer.values()].flatMap(stems => stems.get(word) ?? [])
  const known = await listKnown(replica, userId, [...words.keys()].flatMap(termsOf))
  const terms = new Map<string, number>()
  const add = (added: Iterable<string>, weight: number) => {
    for (const term of added) terms.set(term, Math.max(terms.get(term) ?? 0, weight))
  }
  const unknown: [string, number][] = []
  for (const [word, weight] of words) {
    const found = termsOf(word).filter(term => known.has(term))
    add(found, weight)
    if (found.length === 0 && termsOf(word).length > 0 && CORRECTABLE.test(word)) unknown.push([word, weight])
  }
  for (const [word, weight] of unknown.toSorted(([a], [b]) => b.length - a.length).slice(0, MAX_UNKNOWN)) {
    const edits = editsOf(word)
    const stems = await Promise.all([...byStemmer.keys()].map(stemmer => stemWords(db, stemmer, edits)))
    const near = stems.flatMap(each => [...each.values()].flat())
    add(await listKnown(replica, userId, near), NEAR_WEIGHT * weight)
    add(await listCompletions(replica, userId, word), NEAR_WEIGHT * weight)
  }
  return terms
}

/** The terms that occur in the owner's library. */
async function listKnown(db: Queryable, userId: string, terms: readonly string[]) {
  const rows = await db.query<{ term: string }>(sql`
    select term from unnest(${sql.param([...new Set(terms)])}::text[]) as asked(term)
    where exists (select from search_terms t where t.user_id = ${userId} and t.term = asked.term)`)
  return new Set(rows.map(({ term }) => term))
}

/** The first terms that begin with a word; each is found from the one before, without reading their postings. */
async function listCompletions(db: Queryable, userId: string, word: string) {
  const rows = await db.query<{ term: string }>(sql`
    with recursive completion as (
      (select term, 1 as n from search_terms where user_id = ${userId} and term >= ${word} order by term limit 1)
      union all
      select following.term, n + 1 from completion cross join lateral (
        select term from search_terms where user_id = ${userId} and term > completion.term order by term limit 1
      ) following
      where n < ${MAX_COMPLETIONS}::int and starts_with(completion.term, ${word})
    )
    select term from completion where starts_with(term, ${word})`)
  return rows.map(({ term }) => term)
}

/** The words one typing error away: with a letter missing, doubled, added or replaced, or two exchanged. */
export function editsOf(word: string): string[] {
  const letters = ALPHABETS.find(alphabet => [...word].some(letter => alphabet.includes(letter))) ?? ''
  return Array.from({ length: word.length + 1 }, (_, at) => {
    const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)]
    const exchanged = before + after.charAt(0) + letter + after.slice(1)
    return [before + after, exchanged, ...[...letters].flatMap(other => [before + other + after, before + other + letter + after])]
  }).flat()
}
