import { sql } from '../db/drizzle.ts'
import type { Db, Queryable } from '../db/open.ts'
import { stemWords } from '../search-index/terms.ts'
import type { QueryTerms } from './lexical.ts'

/**
 * Words that ask about a conversation instead of naming its subject, as in "what did the team discuss about the budget". They count less.
 * The weight was measured in English; the other lists follow it.
 */
const ASKING = new Set(
  `discuss discusses discussed discussing discussion discussions summarize summarizes summarized summarise summary summaries
  say says said saying tell tells told think thinks thinking thought thoughts talk talks talked talking mention mentions mentioned
  explain explains explained describe describes described suggest suggests suggested opinion opinions view views why
  group groups meeting meetings team teams according toward towards regarding
  besprechen besprochen besprechung diskutieren diskutiert diskussion zusammenfassen zusammenfassung gesagt meint meinte meinung erwähnt warum
  discuté discutent discussion résumer résumé dit parle parlé pense pensent avis opinion pourquoi réunion équipe
  discutir discutido discutieron discusión resumir resumen dicho dijo dijeron hablar hablaron piensa piensan opinión reunión equipo`.split(
    /\s+/
  )
)
const ASKING_WEIGHT = 0.2
/** Only the longest words of a query are used, which are the rarest. A summary as a query has fewer. */
const MAX_WORDS = 64

/** The distinct words of a query with their weight before the IDF. */
export function weighWords(words: readonly string[]): Map<string, number> {
  const longest = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, MAX_WORDS)
  return new Map(longest.map(word => [word, ASKING.has(word) ? ASKING_WEIGHT : 1]))
}

/** The terms of words, by the stemmers of an owner's library. */
export type TermsByStemmer = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

export async function stemByLibrary(db: Db & Queryable, userId: string, words: Iterable<string>): Promise<TermsByStemmer> {
  const stemmers = await db.query<{ stemmer: string }>(sql`select stemmer from search_totals where user_id = ${userId} and sessions > 0`)
  const distinct = [...words]
  return new Map(await Promise.all(stemmers.map(async ({ stemmer }) => [stemmer, await stemWords(db, stemmer, distinct)] as const)))
}

/** A term that is only near a word of the query counts less. */
const NEAR_WEIGHT = 0.8
/** The longest unknown words of a query that are looked up; each takes about 500 lookups in the index. */
const MAX_UNKNOWN = 3
const MAX_COMPLETIONS = 20
const MAX_COMPLETION_POSTINGS = 1_000
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
): Promise<QueryTerms> {
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

/** The first terms that begin with a word. */
async function listCompletions(db: Queryable, userId: string, word: string) {
  const rows = await db.query<{ term: string }>(sql`
    select distinct term from (
      select term from search_terms where user_id = ${userId} and term >= ${word} order by term limit ${MAX_COMPLETION_POSTINGS}
    ) following where starts_with(term, ${word}) order by term limit ${MAX_COMPLETIONS}`)
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
