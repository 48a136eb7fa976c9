import { type SQL, sql } from '../../../platform/db/drizzle.ts'
import type { Db, Queryable } from '../../../platform/db/open.ts'
import { foldLetters } from '../../../platform/text/fold-letters.ts'
import { primaryLanguage } from '../../../platform/text/language-code.ts'

const STEMMERS = new Set(
  `arabic armenian basque catalan danish dutch english finnish french german greek hindi hungarian indonesian irish italian lithuanian nepali
  norwegian portuguese romanian russian serbian spanish swedish tamil turkish yiddish`.split(/\s+/)
)
const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** Postgres' stemmer of a language such as `de`, `de-AT` or `German`; `simple`, which leaves words unchanged, for all others. */
export function stemmerOf(language: string | null) {
  const [code] = /^[a-z]{2,3}(?![^-_])/.exec(language?.trim().toLowerCase() ?? '') ?? [primaryLanguage(language)]
  // Norwegian Bokmål and Nynorsk share a stemmer.
  const [name = ''] = (code ? LANGUAGES.of(code) : undefined)?.toLowerCase().split(' ') ?? []
  return STEMMERS.has(name) ? name : 'simple'
}

/** Words with their terms by one stemmer. Stop words have none. */
export type Terms = ReadonlyMap<string, readonly string[]>

/**
 * The stems of words by the database's own dictionary, without marks. A word with marks has the term of the same word without them as well,
 * since stemmers treat the two differently.
 */
export async function stemWords(db: Pick<Db, 'execute'>, stemmer: string, words: readonly string[]): Promise<Terms> {
  if (stemmer === 'simple') {
    return new Map(words.map(word => [word, word === word.toLowerCase() ? [foldLetters(word)] : []]))
  }
  const { rows } = await db.execute<Stem>(stemStatement(sql`select ${stemmer}::text as stemmer`, words))
  return toTerms(words, rows)
}

/** The terms of words by each stemmer of the owner's library. */
export async function stemByLibrary(db: Queryable, userId: string, words: readonly string[]): Promise<Terms[]> {
  const stemmers = sql`select stemmer from search_totals where user_id = ${userId} and sessions > 0`
  const rows = await db.query<Stem>(stemStatement(stemmers, words))
  return [...Map.groupBy(rows, ({ stemmer }) => stemmer).values()].map(stems => toTerms(words, stems))
}

type Stem = Record<'stemmer' | 'word' | 'stem', string>

/** An abbreviation in capitals has a term only where its small letters are a stop word; otherwise it is the term of the small letters. */
function stemStatement(stemmers: SQL, words: readonly string[]) {
  const spellings = [...new Set(words.flatMap(spellingsOf))]
  return sql`
    select stemmer, word, stem from (${stemmers}) used cross join unnest(${sql.param(spellings)}::text[]) as w(word)
    cross join lateral (
      select case stemmer when 'simple' then array[lower(word)] else ts_lexize((stemmer || '_stem')::regdictionary, word) end as stems
    ) l cross join lateral (
      select case when word = lower(word) then stems[1] when stems = '{}' then word end as stem
    ) s where stem <> ''`
}

function spellingsOf(word: string) {
  return [word, foldLetters(word)]
}

function toTerms(words: readonly string[], stems: readonly Stem[]): Terms {
  const terms = new Map(stems.map(({ word, stem }) => [word, foldLetters(stem)]))
  return new Map(
    words.map(word => [word, [...new Set(spellingsOf(word).flatMap(spelling => terms.get(spelling) ?? []))]])
  )
}
