import { setImmediate } from 'node:timers/promises'
import { LIMITS } from '../contract/limits.ts'
import type { SearchResult } from '../contract/search.ts'
import type { PhoneMetadata, SessionListItem } from '../contract/session.ts'
import { splitSentences } from '../core/sentences.ts'
import { sql } from '../db/drizzle.ts'
import type { Db, Queryable } from '../db/open.ts'
import { stemmerOf, stemWords, stripMarks, wordsOf } from '../search-index/terms.ts'
import { idfOf, type LexicalScore, type TermIdf } from './lexical.ts'
import { quotedIn } from './query.ts'
import { type QueryEmbedding, SIMILARITY_WEIGHT } from './semantic.ts'

interface Options {
  near: QueryEmbedding | undefined
  passages: boolean
}

/** A session as a result shows it, with its best passages. */
export interface Found extends Pick<SessionListItem, 'id' | 'title' | 'timestamp' | 'type'> {
  phone: PhoneMetadata | null
  language: string | null
  summary: string | null
  notes: string | null
  /** `lexical` is the part of the score that the words have. */
  best: { start: number | null; end: number | null; text: string; score: number; lexical: number }[] | null
}

/** Loads sessions with their best passages by the z-scores of lexical score and similarity. Sessions deleted meanwhile are left out. */
export async function findFound(db: Queryable, userId: string, shown: readonly LexicalScore[], options: Options): Promise<Found[]> {
  const { near, passages } = options
  const sessionIds = shown.map(({ sessionId }) => sessionId)
  const worded = shown.flatMap(({ passages }, at) => [...passages].map(([ordinal, score]) => ({ n: at + 1, ordinal, score })))
  const similarities = near
    ? sql`select n, ordinal, 1 - (vector <=> ${near.text}::halfvec) as similarity from shown cross join lateral (
        select ordinal, vector from embeddings e
        where e.user_id = ${userId} and e.model = ${near.model} and e.dimension = ${near.dimension} and e.session_id = shown.session_id offset 0
      ) e`
    : sql`select null::integer as n, null::integer as ordinal, null::float8 as similarity where false`
  return await db.query<Found>(sql`
    with shown as materialized (
      select session_id, n::integer from unnest(${sql.param(sessionIds)}::text[]) with ordinality as t(session_id, n)
    ),
    near as materialized (${similarities}),
    worded as (select * from unnest(
      ${sql.param(worded.map(({ n }) => n))}::integer[], ${sql.param(worded.map(({ ordinal }) => ordinal))}::integer[],
      ${sql.param(worded.map(({ score }) => score))}::float8[]
    ) as t(n, ordinal, lexical)),
    scored as (
      select n, ordinal, coalesce(lexical, 0) as lexical,
        coalesce((coalesce(lexical, 0) - avg(coalesce(lexical, 0)) over ()) / nullif(stddev_pop(coalesce(lexical, 0)) over (), 0), 0)
        + ${SIMILARITY_WEIGHT}::float8 * coalesce((similarity - avg(similarity) over ()) / nullif(stddev_pop(similarity) over (), 0), 0) as score
      from worded full join near using (n, ordinal)
    ),
    ranked as materialized (
      select * from (select scored.*, row_number() over (partition by n order by score desc, ordinal) as place from scored) placed
      where place <= ${passages ? LIMITS.passages : 1}::int
    ),
    passages as (
      select session_id, jsonb_agg(
        jsonb_build_object('start', starts_at, 'end', ends_at, 'text', text, 'score', round(score::numeric, 4), 'lexical', lexical) order by place
      ) as best
      from ranked join shown using (n) cross join lateral (
        select starts_at, ends_at, text from chunks c where c.user_id = ${userId} and c.session_id = shown.session_id and c.ordinal = ranked.ordinal offset 0
      ) c group by session_id
    )
    select s.session_id as id, s.title, s."timestamp", s.type, s.phone, s.language, s.summary, s.notes, best
    from sessions s left join passages using (session_id) join shown using (session_id)
    where s.user_id = ${userId} and s.session_id = any(${sql.param(sessionIds)}::text[]) and s.state = 'completed' order by n`)
}

/** What a result shows of its session: the sentences that answer the query best, and the best passages. */
export type Excerpt = Required<Pick<SearchResult, 'snippet' | 'passages'>>

/** Selects the excerpt of each session. Other work goes on between them, since notes are long. */
export async function selectExcerpts(
  db: Pick<Db, 'execute'>,
  found: readonly Found[],
  idfs: readonly TermIdf[],
  phrases: readonly string[] = []
): Promise<Excerpt[]> {
  const quotes = ({ text }: { text: string }) => quotedIn(text, phrases).phrases.length > 0
  const read: { said: Sentence[][]; about: Sentence[]; stemmer: string }[] = []
  for (const one of found) {
    const best = one.best ?? []
    const said = best.map(({ text }) => sentencesOf(bestParts(text, idfs)))
    const about = best[0]?.lexical && (phrases.length === 0 || quotes(best[0])) ? [] : aboutSentences(one, idfs)
    const answers = !best[0]?.lexical || about.some(quotes)
    read.push({ said, about: answers ? about : [], stemmer: stemmerOf(one.language) })
    await setImmediate()
  }
  const weigh = await openWeigher(db, read, idfs, phrases)
  return found.map(({ best }, at) => {
    const { said = [], about = [], stemmer = '' } = read[at] ?? {}
    const weighed = said.map(sentences => bestSentences(weigh(stemmer, sentences)))
    const written = weigh(stemmer, about)
    const answers = weighed.length === 0 || written.some(({ idf }) => idf.size > 0)
    const passages = (best ?? []).map(({ lexical: _, ...passage }, at) => ({ ...passage, speaker: weighed[at]?.speaker ?? '' }))
    return { snippet: (answers ? bestSentences(written) : weighed[0])?.text ?? '', passages }
  })
}

export interface Sentence {
  speaker: string
  text: string
}

/** A sentence with the IDF of each query term in it. */
export interface ScoredSentence extends Sentence {
  idf: ReadonlyMap<string, number>
}

/** A quoted phrase counts more than any terms. */
const PHRASE_IDF = 1_000

/** Returns what finds the query terms in sentences. Only words that begin like one of the terms are stemmed. */
async function openWeigher(
  db: Pick<Db, 'execute'>,
  read: { said: Sentence[][]; about: Sentence[]; stemmer: string }[],
  idfs: readonly TermIdf[],
  phrases: readonly string[]
) {
  const idfByTerm = new Map(idfs.map(idf => [idf.term, idfOf(idf)]))
  const beginnings = new Set(idfs.map(({ term }) => term.slice(0, 2)))
  const tellingWords = ({ speaker, text }: Sentence) =>
    wordsOf(`${speaker} ${text}`).filter(word => beginnings.has(stripMarks(word).slice(0, 2)))
  const words = new Map<Sentence, string[]>()
  const byStemmer = [...Map.groupBy(read, ({ stemmer }) => stemmer)].map(async ([stemmer, texts]) => {
    const sentences = texts.flatMap(({ said, about }) => [...said.flat(), ...about])
    for (const sentence of sentences) words.set(sentence, tellingWords(sentence))
    const telling = sentences.flatMap(sentence => words.get(sentence) ?? [])
    return [stemmer, await stemWords(db, stemmer, telling)] as const
  })
  const stems = new Map(await Promise.all(byStemmer))
  return (stemmer: string, sentences: Sentence[]): ScoredSentence[] =>
    sentences.map(sentence => {
      const terms = (words.get(sentence) ?? []).flatMap(word => stems.get(stemmer)?.get(word) ?? [])
      const known = terms.filter(term => idfByTerm.has(term)).map((term): [string, number] => [term, idfByTerm.get(term) ?? 0])
      const quoted = quotedIn(sentence.text, phrases)
      return {
        ...sentence,
        text: quoted.text,
        idf: new Map([...known, ...quoted.phrases.map((phrase): [string, number] => [phrase, PHRASE_IDF])])
      }
    })
}

/** The sentences of lines of the form `Speaker: words`. */
export function sentencesOf(text: string): Sentence[] {
  return text.split('\n').flatMap(line => {
    const [, speaker = '', words = line] = /^(.*?): (.*)$/su.exec(line) ?? []
    return splitSentences(words).map(({ text }) => ({ speaker, text }))
  })
}

/** The sentences of summary, notes and title, without a speaker and without markup. */
function aboutSentences({ title, summary, notes }: Found, idfs: readonly TermIdf[]): Sentence[] {
  const plain = [summary, notes].map(text =>
    bestParts(text ?? '', idfs)
      .replace(/^[^\S\n]*(?:#+|[-*>]|\d+\.)(?:[^\S\n]+|$)/gm, '')
      .replace(/\\([!-/:-@[-`{-~])|[*`]{1,3}|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu, '$1')
  )
  const lines = [...plain.flatMap(text => text.split('\n')), title]
  return lines.flatMap(line => splitSentences(line)).map(({ text }) => ({ speaker: '', text }))
}

/** A text up to this length is read whole for its snippet; most summaries and notes are shorter. */
const READ_CHARACTERS = 4_000
/** Parts of at most 1,000 characters, which end with a line where possible, else with a sentence, else with a word. */
const PART = /.{1,1000}(?<=\n)|.{1,1000}(?<=\. )|.{1,1000}(?<= )|.{1,1000}/gsu
const PARTS_READ = 4
/** The number of query terms looked for, rarest first; each costs a pass over the text. */
const MAX_TERMS = 8

/** Of a long text, the parts with most query terms, in order; a shorter text is returned unchanged. */
export function bestParts(text: string, idfs: readonly TermIdf[]): string {
  if (text.length <= READ_CHARACTERS) return text
  const rarest = idfs.toSorted((a, b) => idfOf(b) - idfOf(a)).slice(0, MAX_TERMS)
  // A stem is usually a prefix of its word, except for its last letter.
  const beginnings = rarest.map(idf => ({ idf: idfOf(idf), beginning: idf.term.length > 3 ? idf.term.slice(0, -1) : idf.term }))
  const parts = (text.match(PART) ?? []).map((part, at) => {
    const plain = stripMarks(part.toLowerCase())
    return { part, at, idf: beginnings.reduce((sum, { beginning, idf }) => sum + (plain.includes(beginning) ? idf : 0), 0) }
  })
  const best = parts.sort((a, b) => b.idf - a.idf || a.at - b.at).slice(0, PARTS_READ)
  return best
    .sort((a, b) => a.at - b.at)
    .map(({ part }) => part)
    .join('\n')
}

/** The share that a further sentence must add to the score. */
const LONGER = 0.5

/** The consecutive sentences with the highest score that fit into a snippet, with their speakers; undefined where there are none. */
export function bestSentences(sentences: readonly ScoredSentence[]): { speaker: string; text: string } | undefined {
  const alone = sentences.map(sentence => lengthOf(shown(sentence, undefined)))
  let sum = 0
  const until = sentences.map((sentence, at) => (sum += 1 + lengthOf(shown(sentence, sentences[at - 1]))))
  const fits = (from: number, to: number) => (alone[from] ?? 0) + (until[to] ?? 0) - (until[from] ?? 0) <= LIMITS.snippet
  let best: { from: number; to: number; score: number } | undefined
  for (const from of sentences.keys()) {
    const found = new Set<string>()
    let idfs = 0
    for (let to = from; to < sentences.length && (to === from || fits(from, to)); to++) {
      for (const [term, idf] of sentences[to]?.idf ?? []) {
        if (!found.has(term)) idfs += idf
        found.add(term)
      }
      const score = idfs - LONGER * (to - from)
      if (!best || score > best.score) best = { from, to, score }
    }
  }
  if (!best) return undefined
  // The following sentences add context where there is room.
  while (best.to + 1 < sentences.length && fits(best.from, best.to + 1)) best.to++
  const chosen = sentences.slice(best.from, best.to + 1)
  return { speaker: chosen[0]?.speaker ?? '', text: cut(chosen.map((sentence, at) => shown(sentence, chosen[at - 1])).join(' ')) }
}

/** A change of speaker names the new one. */
function shown({ speaker, text }: Sentence, before: Sentence | undefined) {
  return speaker !== '' && speaker !== before?.speaker ? `${speaker}: ${text}` : text
}

/** Only a sentence longer than a snippet is cut, after a word where possible. */
function cut(text: string) {
  if (lengthOf(text) <= LIMITS.snippet) return text
  const start = [...text].slice(0, LIMITS.snippet - 1).join('')
  return `${start.replace(/\s+\S{0,40}$/u, '')}…`
}

function lengthOf(text: string) {
  return text.length <= LIMITS.snippet ? text.length : [...text].length
}
