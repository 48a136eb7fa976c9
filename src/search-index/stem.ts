import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

/** Stems words with the database's own dictionaries, in one query. Stop words are left out. */
export async function stemsOf(db: Db, stemmer: string, words: Iterable<string>): Promise<Map<string, string>> {
  const distinct = [...new Set(words)]
  if (stemmer === 'simple' || distinct.length === 0) return new Map(distinct.map(word => [word, word]))
  const { rows } = await db.execute<{ word: string; stem: string }>(sql`
    select word, lexemes[1] as stem from unnest(${sql.param(distinct)}::text[]) as w(word)
    cross join lateral ts_lexize(${`${stemmer}_stem`}::text::regdictionary, word) as lexemes where lexemes[1] <> ''`)
  return new Map(rows.map(({ word, stem }) => [word, stem]))
}
