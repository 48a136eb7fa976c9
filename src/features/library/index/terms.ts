import { type SQL, sql } from '../../../platform/db/drizzle.ts'
import type { Db, Queryable } from '../../../platform/db/open.ts'
import { foldLetters, simplifyHan } from '../../../platform/text/fold-letters.ts'
import { primaryLanguage } from '../../../platform/text/language-code.ts'
import { charactersOf, wordsOf, writtenWords } from '../../../platform/text/words.ts'

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

/** Invisible hints for breaking lines, which are no part of a word. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g
/** Between the parts of a compound: `wi-fi`, `node.js`, `file_name`, `AT&T`, `col·legi`, and the joiners of Persian. */
const JOINS_WORDS = /^[-‐‑_&.·\u200c\u200d]$/u
/** Between the thousands of a number: `1,250`, `1.250`, `1 250`. */
const JOINS_DIGITS = /^[,.'’ ]$/
const HAS_SIGN = /[\p{L}\p{M}\p{N}][-‐‑_&.·\u200c\u200d][\p{L}\p{N}]|\p{N}[,.'’ ]\p{N}|(?<![\p{L}\p{N}])o['’]\p{L}/iu
const DIGITS = /^\p{N}+$/u
/** Longer compounds are data, such as an address. */
const MAX_PARTS = 6
const MAX_JOINED_CHARACTERS = 40
/** `C++`, `C#`. The letter alone is a word as well. */
const LETTER_WITH_SIGN = /(?<![\p{L}\p{M}\p{N}])\p{L}(?:\+\+|#)(?![\p{L}\p{N}])/gu
/** An abbreviation in capitals, which may be a stop word in small letters: `IT`, `US`, `WHO`. */
const CAPITALS = /(?<![\p{L}\p{M}\p{N}])\p{Lu}{2,5}(?![\p{L}\p{M}\p{N}])/gu
/** A longer text in capitals has no abbreviations that stand out. */
const MAX_WORDS_IN_CAPITALS = 3

/** Words that may also be written as one. */
export interface Compound {
  joined: string
  parts: string[]
  /** True if the words are written together, such as `wi-fi`; false if a space is between them. */
  typed: boolean
}

/**
 * The words of a text that the search index has: those of `wordsOf`, the joined forms of compounds, single characters of scripts without
 * spaces, and abbreviations in capitals in addition to their small letters.
 */
export function indexWordsOf(text: string): string[] {
  return wordsOfPlain(plainText(text))
}

/** The same of each of several lines, in less time than one by one. */
export function indexWordsOfLines(lines: readonly string[]): string[][] {
  return plainText(lines.join('\n')).split('\n').map(wordsOfPlain)
}

function wordsOfPlain(plain: string) {
  const joined = compoundsIn(plain).map(compound => compound.joined)
  return [...wordsOf(plain), ...extraWords(plain), ...joined, ...loneCharactersOf(plain)]
}

interface QueryWords {
  /** The words of the query that are looked up, also with typing errors. */
  words: string[]
  /** Their joined forms, which are not corrected. */
  compounds: Compound[]
}

/** Two short words in a row may be one in the library: `wi fi`. In longer queries such pairs are accidents. */
const MAX_WORDS_TO_JOIN = 6
const MAX_PAIR_CHARACTERS = 12
const IS_LETTERS = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}]+$/u

/** The words of a query. */
export function queryWordsOf(text: string): QueryWords {
  const plain = plainText(text)
  return { words: [...wordsOf(plain), ...extraWords(plain)], compounds: [...compoundsIn(plain), ...pairsIn(plain)] }
}

/** A text with full-width, invisible and traditional characters as the index has them. */
export function plainText(text: string) {
  return simplifyHan(text.normalize('NFKC').replace(INVISIBLE, ''))
}

/** The characters of words in scripts without spaces. One alone is a word already. */
function loneCharactersOf(plain: string) {
  if (charactersOf(plain).length === 0) return []
  return writtenWords(plain).flatMap(({ word }) => {
    const characters = charactersOf(word)
    return characters.length > 1 ? characters : []
  })
}

function extraWords(plain: string) {
  const signed = /[+#]/.test(plain) ? (plain.match(LETTER_WITH_SIGN) ?? []).map(word => word.toLowerCase()) : []
  const capitals = plain.match(CAPITALS) ?? []
  return capitals.length > MAX_WORDS_IN_CAPITALS && capitals.length > wordsOf(plain).length / 2
    ? signed
    : [...signed, ...capitals]
}

/** The compounds of a text: words with the same sign between them, and nothing else. */
function compoundsIn(plain: string): Compound[] {
  // Few sentences have one, and finding the places of words takes longer.
  if (!HAS_SIGN.test(plain)) return []
  const written = writtenWords(plain)
  const runs: { sign: string; last: number; words: string[] }[] = []
  for (const [at, { word, start }] of written.entries()) {
    const before = written[at - 1]
    const sign = before && start === before.end + 1 ? plain.charAt(before.end) : ''
    if (!before || sign === '' || !isJoined(before.word, sign, word)) continue
    const run = runs.at(-1)
    if (run?.sign === sign && run.last === at - 1) {
      run.words.push(word)
      run.last = at
    } else runs.push({ sign, last: at, words: [before.word, word] })
  }
  return runs.map(({ words }) => toCompound(words, true)).filter(isShort)
}

function isJoined(before: string, sign: string, word: string) {
  if (DIGITS.test(before) && DIGITS.test(word)) {
    return JOINS_DIGITS.test(sign) ? before.length <= 3 && word.length === 3 : sign === '-'
  }
  if (charactersOf(before).length > 0 || charactersOf(word).length > 0) return false
  return JOINS_WORDS.test(sign) || (/['’]/.test(sign) && /^o$/i.test(before))
}

function toCompound(words: readonly string[], typed: boolean): Compound {
  const parts = words.map(word => word.toLowerCase())
  return { joined: parts.join(''), parts, typed }
}

function isShort({ joined, parts }: Compound) {
  return parts.length <= MAX_PARTS && joined.length <= MAX_JOINED_CHARACTERS
}

/** Two words in a row of a short query, as one. */
function pairsIn(plain: string): Compound[] {
  const written = writtenWords(plain)
  if (written.length > MAX_WORDS_TO_JOIN) return []
  return written.slice(1).flatMap((word, at) => {
    const before = written[at]
    const isPair = before && plain.slice(before.end, word.start) === ' ' && IS_LETTERS.test(before.word + word.word)
    return isPair
      ? [toCompound([before.word, word.word], false)].filter(({ joined }) => joined.length <= MAX_PAIR_CHARACTERS)
      : []
  })
}
