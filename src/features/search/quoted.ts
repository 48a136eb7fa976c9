import { LIMITS } from '../../contract/limits.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { foldLetters } from '../../platform/text/fold-letters.ts'
import { plainWordsOf, sequenceOf, wordsOf } from '../../platform/text/words.ts'
import { joinPassages } from '../library/index/passages.ts'
import type { Terms } from '../library/index/terms.ts'

/** A text longer than a snippet is shown from this much before a phrase, from the start of a word unless that is further away. */
const CONTEXT_CHARACTERS = 60
const MAX_WORD_CHARACTERS = 40

/** The quoted phrases that a text has, and the text, from shortly before the first of them where it is too long to show whole. */
export function quotedIn(text: string, phrases: readonly string[]) {
  const found = phrases.flatMap(phrase => {
    const at = findPhrase(text, phrase)?.start
    return at === undefined ? [] : [{ phrase, at }]
  })
  const context = (found[0]?.at ?? 0) - CONTEXT_CHARACTERS
  const from =
    text.length <= LIMITS.snippet ? 0 : Math.max(text.lastIndexOf(' ', context) + 1, context - MAX_WORD_CHARACTERS)
  return {
    phrases: found.map(({ phrase }) => `"${phrase}"`),
    text: from > 0 ? `…${text.slice(from).replace(/^\p{Cs}/u, '')}` : text
  }
}

/** The maximum number of places that are read for a phrase: those with all its terms where the terms count most. */
const MAX_PLACES = 2_000

/** A place of a quoted phrase: a passage of a session, or its title, notes or summary, which have no ordinal. */
export interface QuotedPlace {
  sessionId: string
  ordinal: number | null
  /** True if the phrase ends in the next passage. */
  isSeam: boolean
  phrase: string
}

interface Asked {
  phrase: string
  /** The terms of the words in their order, without stop words. */
  terms: string[]
}

type Find = (asked: Asked) => Promise<QuotedPlace[]>

/** Finds the places of quoted phrases, by session, by the terms that their words have without marks. A phrase of stop words only is ordinary text. */
export async function findQuoted(
  db: Queryable,
  userId: string,
  phrases: readonly string[],
  stems: readonly Terms[],
  allowed: SQL | undefined
): Promise<ReadonlyMap<string, QuotedPlace[]>> {
  const asked = phrases.flatMap(phrase =>
    stems.map(terms => ({ phrase, terms: wordsOf(phrase).flatMap(word => terms.get(word)?.at(-1) ?? []) }))
  )
  const isAllowed = allowed && sql`and session_id in (${allowed})`

  const findInside: Find = async ({ phrase, terms }) => {
    const places = await db.query<{ sessionId: string; ordinal: number | null; text: string }>(sql`
      with places as materialized (
        select session_id, ordinal from search_terms t cross join lateral unnest(
          case part when 'said' then ordinals else '{null}' end, case part when 'said' then weights else array[most] end
        ) as p(ordinal, weight)
        where user_id = ${userId} and term = any(${sql.param(terms)}::text[]) ${isAllowed}
        group by session_id, part, ordinal having count(*) = ${new Set(terms).size}::int order by sum(weight) desc limit ${MAX_PLACES}
      )
      select s.session_id as "sessionId", p.ordinal, coalesce(c.text, concat_ws(E'\n', title, notes, summary)) as text
      from places p join sessions s on s.user_id = ${userId} and s.session_id = p.session_id and s.state = 'completed'
      left join passages c on c.user_id = ${userId} and c.session_id = p.session_id and c.ordinal = p.ordinal`)
    return places
      .filter(({ text }) => findPhrase(text, phrase) !== undefined)
      .map(({ sessionId, ordinal }) => ({ sessionId, ordinal, isSeam: false, phrase }))
  }

  /** A phrase may begin at the end of one passage of a long turn and end in the next. */
  const findAtSeams: Find = async ({ phrase, terms }) => {
    const [first, last] = [terms[0], terms.at(-1)]
    if (terms.length < 2) return []
    const places = await db.query<{ sessionId: string; ordinal: number; text: string; next: string }>(sql`
      with places as materialized (
        select session_id, ordinal, term from search_terms t cross join lateral unnest(ordinals) as p(ordinal)
        where user_id = ${userId} and part = 'said' and term = any(${sql.param(terms)}::text[]) ${isAllowed}
      ),
      seams as materialized (
        select session_id, a.ordinal from places a join places b using (session_id)
        where a.term = ${first} and b.term = ${last} and b.ordinal = a.ordinal + 1
      )
      select s.session_id as "sessionId", seam.ordinal, c.text, n.text as next
      from (
        select session_id, seams.ordinal from seams join places p using (session_id)
        where p.ordinal between seams.ordinal and seams.ordinal + 1
        group by session_id, seams.ordinal having count(distinct term) = ${new Set(terms).size}::int limit ${MAX_PLACES}
      ) seam
      join sessions s on s.user_id = ${userId} and s.session_id = seam.session_id and s.state = 'completed'
      join passages c on c.user_id = ${userId} and c.session_id = seam.session_id and c.ordinal = seam.ordinal
      join passages n on n.user_id = ${userId} and n.session_id = seam.session_id and n.ordinal = seam.ordinal + 1
        and n.first_segment between c.last_segment and c.last_segment + 1`)
    return places
      .filter(({ text, next }) => isAtSeam(text, next, phrase))
      .map(({ sessionId, ordinal }) => ({ sessionId, ordinal, isSeam: true, phrase }))
  }

  const known = asked.filter(({ terms }) => terms.length > 0)
  const places = await Promise.all(known.flatMap(one => [findInside(one), findAtSeams(one)]))
  return Map.groupBy(places.flat(), ({ sessionId }) => sessionId)
}

/** A phrase has at most 32 words, so it ends in this many characters of the next passage. */
const SEAM_CHARACTERS = 1_500

function isAtSeam(text: string, next: string, phrase: string) {
  const joined = joinPassages(text, next)
  if (joined === undefined) return false
  const seam = text.length
  const from = Math.max(0, seam - SEAM_CHARACTERS)
  const found = findPhrase(joined.slice(from, seam + SEAM_CHARACTERS), phrase)
  return found !== undefined && from + found.end > seam
}

/** The quoted phrases of a query that are looked for; more of them, and longer ones, are ordinary text. */
const MAX_PHRASES = 4
const MAX_PHRASE_WORDS = 32
const QUOTED =
  /(?<![\p{L}\p{N}])"([^"]+)"(?![\p{L}\p{N}])|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』/gu

/** The quoted phrases of a query. */
export function phrasesOf(query: string): string[] {
  return [...query.matchAll(QUOTED)]
    .map(([, ...quoted]) => quoted.find(text => text !== undefined) ?? '')
    .filter(phrase => plainWordsOf(phrase).length > 0 && plainWordsOf(phrase).length <= MAX_PHRASE_WORDS)
    .slice(0, MAX_PHRASES)
}

interface PhraseSpan {
  start: number
  end: number
}

const ASCII = /^[\0-\x7f]*$/

/**
 * The place where the words of a phrase follow each other in a text, without case and marks. `wi-fi`, `wi fi` and `wifi` are the same.
 * Undefined if they do not.
 */
export function findPhrase(text: string, phrase: string): PhraseSpan | undefined {
  const words = sequenceOf(text).map(({ word, start, end }) => ({ plain: plainOf(word), start, end }))
  const wanted = sequenceOf(phrase.normalize('NFKC'))
    .map(({ word }) => plainOf(word))
    .join('')
  const endOf = (from: number) => {
    let read = 0
    for (let at = from; at < words.length; at++) {
      const { plain = '', end = 0 } = words[at] ?? {}
      if (!wanted.startsWith(plain, read)) return undefined
      read += plain.length
      if (read === wanted.length) return end
    }
    return undefined
  }
  for (const [at, { start }] of words.entries()) {
    const end = endOf(at)
    if (end !== undefined) return { start, end }
  }
  return undefined
}

function plainOf(word: string) {
  return ASCII.test(word) ? word.toLowerCase() : foldLetters(word.normalize('NFKC').toLowerCase())
}
