import { primaryLanguage } from '../core/language-code.ts'
import { stripMarks } from '../core/words.ts'
import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

/** The `max` most frequent distinct words; of equally frequent ones, the first to occur. */
export function mostFrequent(words: readonly string[], max: number): string[] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  if (counts.size <= max) return [...counts.keys()]
  const frequent = [...counts].toSorted(([, a], [, b]) => b - a)
  return frequent.slice(0, max).map(([word]) => word)
}

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

/**
 * The terms of words: their stems by the database's own dictionaries, without marks. A word with marks has the term of the same word
 * without them as well, since stemmers treat the two differently. Stop words have none.
 */
export async function stemWords(db: Pick<Db, 'execute'>, stemmer: string, words: Iterable<string>): Promise<Map<string, string[]>> {
  const forms = new Map([...new Set(words)].map(word => [word, [...new Set([word, stripMarks(word)])]]))
  const stems = await lexize(db, stemmer, [...new Set([...forms.values()].flat())])
  const termsOf = (spellings: string[]) => [...new Set(spellings.flatMap(spelling => stems.get(spelling) ?? []).map(stripMarks))]
  return new Map([...forms].map(([word, spellings]) => [word, termsOf(spellings)]))
}

async function lexize(db: Pick<Db, 'execute'>, stemmer: string, words: string[]): Promise<Map<string, string>> {
  if (stemmer === 'simple' || words.length === 0) return new Map(words.map(word => [word, word]))
  const { rows } = await db.execute<{ word: string; stem: string }>(sql`
    select word, lexemes[1] as stem from unnest(${sql.param(words)}::text[]) as w(word)
    cross join lateral ts_lexize(${`${stemmer}_stem`}::text::regdictionary, word) as lexemes where lexemes[1] <> ''`)
  return new Map(rows.map(({ word, stem }) => [word, stem]))
}
