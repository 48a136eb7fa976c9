import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { foldLetters } from '../../platform/text/fold-letters.ts'
import { type Compound, stemByLibrary, type Terms } from '../library/index/terms.ts'
import { idfOf, listQueryTerms, type QueryTerm } from './candidates.ts'
import { withHeadingBits } from './heading-bits.ts'

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

/** Only the rarest terms are scored: with all of them a query of 64 words takes 40 % more time and finds no more. */
const MAX_SCORED_TERMS = 40
/** The parts of a compound count less where the library has its joined form. */
const PART_WEIGHT = 0.3
/** Two words in a row that are one in the library are probably meant as one. */
const PAIR_WEIGHT = 1.2
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
 * The terms of the query's words that the owner's library has, the rarest first. In place of a word that it does not have, those one typing
 * error away from it and those that begin with it.
 */
export async function findQueryTerms(
  db: Queryable,
  userId: string,
  words: ReadonlyMap<string, number>,
  stems: readonly Terms[],
  compounds: readonly Compound[] = []
): Promise<QueryTerm[]> {
  const joined = new Map(compounds.map(compound => [compound.joined, compound.typed ? 1 : PAIR_WEIGHT]))
  const found = await listQueryTerms(db, userId, weighTerms(stems, new Map([...joined, ...words])))
  const known = new Set(found.map(({ term }) => term))
  const terms = withLighterParts(found, known, compounds, stems)
  const unknown = [...words].filter(([word]) => {
    const wanted = [...weighTerms(stems, new Map([[word, 1]])).keys()]
    return wanted.length > 0 && !wanted.some(term => known.has(term)) && CORRECTABLE.test(word)
  })
  const longest = unknown.sort(([a], [b]) => b.length - a.length).slice(0, MAX_UNKNOWN)
  const near = longest.length > 0 ? await listNearTerms(db, userId, longest) : []
  // A term that the query has as well counts as such.
  const forms = formsOf(stems, [...words.keys(), ...joined.keys()])
  const distinct = new Map([...near, ...terms].map(term => [term.term, { ...term, forms: forms.get(term.term) ?? [] }]))
  const scored = [...distinct.values()].sort((a, b) => idfOf(b) - idfOf(a)).slice(0, MAX_SCORED_TERMS)
  return withHeadingBits(scored, { words: [...words.keys()], stems, compounds, corrected: near })
}

/** A session that has `wifi` must not come after those that have "fi" alone. */
function withLighterParts(
  terms: readonly QueryTerm[],
  known: ReadonlySet<string>,
  compounds: readonly Compound[],
  stems: readonly Terms[]
): QueryTerm[] {
  const termsOf = (word: string) => stems.flatMap(one => one.get(word) ?? [])
  const used = compounds.filter(({ joined, typed }) => typed && termsOf(joined).some(term => known.has(term)))
  const parts = new Set(used.flatMap(({ parts }) => parts.flatMap(termsOf)))
  return terms.map(term => {
    const weight = parts.has(term.term) ? PART_WEIGHT : 1
    return { ...term, byPassage: weight * term.byPassage, bySession: weight * term.bySession }
  })
}

/** The words of each term, folded. */
function formsOf(stems: readonly Terms[], words: readonly string[]) {
  const forms = words.flatMap(word =>
    stems.flatMap(one => one.get(word) ?? []).map(term => ({ term, form: foldLetters(word) }))
  )
  return new Map(
    [...Map.groupBy(forms, ({ term }) => term)].map(([term, all]) => [term, [...new Set(all.map(({ form }) => form))]])
  )
}

/** The weight of each term: the largest of its words. */
function weighTerms(stems: readonly Terms[], words: ReadonlyMap<string, number>) {
  const weights = new Map<string, number>()
  for (const [word, weight] of words) {
    for (const term of stems.flatMap(terms => terms.get(word) ?? []))
      weights.set(term, Math.max(weights.get(term) ?? 0, weight))
  }
  return weights
}

/** The terms one typing error away from unknown words, and those that begin with them, with the words that they stand for. */
async function listNearTerms(db: Queryable, userId: string, unknown: [string, number][]) {
  const edited = unknown.flatMap(([word, weight]) => editsOf(word).map(edit => ({ word, edit, weight })))
  const edits = new Map(edited.map(({ edit, weight }) => [edit, NEAR_WEIGHT * weight]))
  const [stems, completions] = await Promise.all([
    stemByLibrary(db, userId, [...edits.keys()]),
    db.query<{ word: string; term: string; weight: number }>(sql`
      select word, term, weight from jsonb_to_recordset(${JSON.stringify(unknown.map(([word, weight]) => ({ word, weight })))}::jsonb) as u(word text, weight float8)
      cross join lateral (
        select distinct term from (
          select term from search_terms where user_id = ${userId} and term >= word order by term limit ${MAX_COMPLETION_POSTINGS}
        ) following where starts_with(term, word) order by term limit ${MAX_COMPLETIONS}
      ) completions`)
  ])
  const weights = weighTerms(stems, edits)
  for (const { term, weight } of completions) weights.set(term, Math.max(weights.get(term) ?? 0, NEAR_WEIGHT * weight))
  const corrected = edited.flatMap(({ word, edit }) =>
    stems.flatMap(one => one.get(edit) ?? []).map(term => ({ word, term }))
  )
  const standsFor = Map.groupBy([...corrected, ...completions], ({ term }) => term)
  const found = await listQueryTerms(db, userId, weights)
  return found.map(term => ({ ...term, near: (standsFor.get(term.term) ?? []).map(({ word }) => word) }))
}

/** The words one typing error away: with a letter missing, doubled, added or replaced, or two exchanged. */
export function editsOf(word: string): string[] {
  const letters = ALPHABETS.find(alphabet => [...word].some(letter => alphabet.includes(letter))) ?? ''
  return Array.from({ length: word.length + 1 }, (_, at) => {
    const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)]
    const exchanged = before + after.charAt(0) + letter + after.slice(1)
    return [
      before + after,
      exchanged,
      ...[...letters].flatMap(other => [before + other + after, before + other + letter + after])
    ]
  }).flat()
}
