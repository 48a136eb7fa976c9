import { primaryLanguage } from '../core/language-code.ts'
import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

/** Scripts written without spaces between words, or that join what English separates. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const PIECE = new RegExp(`${DENSE.source}\\p{M}*`, 'gu')

/** The longest word in characters; longer ones are data and are cut. */
const MAX_WORD_CHARACTERS = 40

/** Splits a text into words without case and width. Scripts without spaces give overlapping pairs of characters. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  const words = plain.match(WORD) ?? []
  // One test of the whole text is cheaper than one of each word, and few texts match.
  if (!DENSE.test(plain)) return words.map(cut)
  return words.flatMap(word => (DENSE.test(word) ? pairsOf(word) : [cut(word)]))
}

function pairsOf(word: string) {
  const pieces = (word.match(PIECE) ?? []).map(cut)
  const others = word.replace(PIECE, ' ').split(' ').filter(Boolean).map(cut)
  if (pieces.length < 2) return [...pieces, ...others]
  return [...pieces.slice(1).map((piece, at) => `${pieces[at]}${piece}`), ...others]
}

function cut(word: string) {
  return word.length <= MAX_WORD_CHARACTERS ? word : [...word].slice(0, MAX_WORD_CHARACTERS).join('')
}

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

/** Latin letters without marks that Unicode does not decompose. */
const PLAIN: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ё: 'е' }
const MARKED = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

/** Strips the marks of Latin and Greek letters: `garcía` gives `garcia`. Other scripts tell letters apart by their marks. */
export function stripMarks(text: string): string {
  const plain = text
    .normalize('NFD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu, '')
    .normalize('NFC')
  return plain.replace(MARKED, letter => PLAIN[letter] ?? letter)
}

/**
 * The terms of words: their stems by the database's own dictionaries, without marks. A word with marks has the term of the same word
 * without them as well, since stemmers tell the two apart. Stop words have none.
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
