import { setImmediate } from 'node:timers/promises'
import type { QueryEmbedding } from '../ai/query-embedder.ts'
import { LIMITS } from '../contract/limits.ts'
import type { SearchResult } from '../contract/search.ts'
import type { PhoneMetadata, SessionListItem } from '../contract/session.ts'
import { splitSentences } from '../core/sentences.ts'
import { stripMarks, wordsOf } from '../core/words.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'
import { vectorText } from '../db/vector.ts'
import { idfOf, type LexicalScore, type TermIdf } from './lexical.ts'
import { quotedIn } from './query.ts'
import { SIMILARITY_WEIGHT } from './semantic.ts'

/** A session as a result shows it, with its best passages. */
export interface Found extends Pick<SessionListItem, 'id' | 'title' | 'timestamp' | 'type'> {
  phone: PhoneMetadata | null
  summary: string | null
  notes: string | null
  best: { start: number | null; end: number | null; text: string; score: number }[] | null
}

/** Loads sessions with their best passages by the z-scores of lexical score and similarity. Sessions deleted meanwhile are left out. */
export async function findFound(
  db: Queryable,
  userId: string,
  shown: readonly LexicalScore[],
  near: QueryEmbedding | undefined,
  passages: number
): Promise<Found[]> {
  const sessionIds = shown.map(({ sessionId }) => sessionId)
  const worded = shown.flatMap(({ sessionId, passages }) =>
    [...passages].map(([ordinal, lexical]) => ({ session_id: sessionId, ordinal, lexical }))
  )
  const zScore = (value: SQL) =>
    sql`coalesce((${value} - avg(${value}) over ()) / nullif(stddev_pop(${value}) over (), 0), 0)`
  return await db.query<Found>(sql`
    with near as materialized (
      select session_id, ordinal, 1 - (vector <=> ${near ? vectorText(near.vector) : null}::halfvec) as similarity
      from unnest(${sql.param(sessionIds)}::text[]) as shown(session_id) cross join lateral (
        select ordinal, vector from embeddings e
        where e.user_id = ${userId} and e.model = ${near?.model ?? null} and e.dimension = ${near?.vector.length ?? 0}
          and e.session_id = shown.session_id offset 0
      ) e
    ),
    worded as (select * from jsonb_to_recordset(${JSON.stringify(worded)}::jsonb) as t(session_id text, ordinal integer, lexical float8)),
    scored as (
      select session_id, ordinal, ${zScore(sql`coalesce(lexical, 0)`)} + ${SIMILARITY_WEIGHT}::float8 * ${zScore(sql`similarity`)} as score
      from worded full join near using (session_id, ordinal)
    ),
    ranked as materialized (
      select * from (select scored.*, row_number() over (partition by session_id order by score desc, ordinal) as place from scored) placed
      where place <= ${passages}::int
    )
    select s.session_id as id, s.title, s."timestamp", s.type, s.phone, s.summary, s.notes, (
      select jsonb_agg(jsonb_build_object('start', starts_at, 'end', ends_at, 'text', text, 'score', round(score::numeric, 4)) order by place)
      from ranked r join passages c on c.user_id = ${userId} and c.session_id = s.session_id and c.ordinal = r.ordinal
      where r.session_id = s.session_id
    ) as best
    from sessions s where s.user_id = ${userId} and s.session_id = any(${sql.param(sessionIds)}::text[]) and s.state = 'completed'
    order by array_position(${sql.param(sessionIds)}::text[], s.session_id)`)
}

/** The excerpt that a result shows of its session: the sentences that answer the query best, and the best passages. */
export type Excerpt = Required<Pick<SearchResult, 'snippet' | 'passages'>>

/** Selects the excerpt of each session. Other work goes on between them, since notes are long. */
export async function selectExcerpts(
  found: readonly Found[],
  idfs: readonly TermIdf[],
  phrases: readonly string[]
): Promise<Excerpt[]> {
  const excerpts: Excerpt[] = []
  for (const one of found) {
    excerpts.push(selectExcerpt(one, idfs, phrases))
    await setImmediate()
  }
  return excerpts
}

/** The snippet is of the best passage, or of summary, notes and title where only those have the terms or the phrase. */
function selectExcerpt(one: Found, idfs: readonly TermIdf[], phrases: readonly string[]): Excerpt {
  const select = (sentences: readonly ExcerptSentence[]) => bestSentences(scoreSentences(sentences, idfs, phrases))
  const passages = (one.best ?? []).map(passage => ({
    passage,
    best: select(sentencesOf(bestParts(passage.text, idfs)))
  }))
  const said = passages[0]?.best ?? NOTHING
  const answers = said.score > (phrases.length > 0 ? PHRASE_IDF : 0)
  const about = answers ? NOTHING : select(aboutSentences(one, idfs))
  return {
    snippet: (said === NOTHING || about.score > said.score ? about : said).text,
    passages: passages.map(({ passage, best }) => ({ ...passage, speaker: best.speaker }))
  }
}

export interface ExcerptSentence {
  speaker: string
  text: string
}

/** A sentence with the IDF of each query term in it. */
export interface ScoredSentence extends ExcerptSentence {
  idf: ReadonlyMap<string, number>
}

/** A quoted phrase counts more than any terms. */
const PHRASE_IDF = 1_000

function scoreSentences(
  sentences: readonly ExcerptSentence[],
  idfs: readonly TermIdf[],
  phrases: readonly string[]
): ScoredSentence[] {
  const lines = sentences.map(({ speaker, text }) => `${speaker} ${text}`)
  const known = idfsIn(lines, idfs)
  return sentences.map(({ speaker, text }, at) => {
    const quoted = quotedIn(text, phrases)
    const phraseIdfs = quoted.phrases.map(phrase => [phrase, PHRASE_IDF] as const)
    return { speaker, text: quoted.text, idf: new Map([...(known[at] ?? []), ...phraseIdfs]) }
  })
}

/** The query terms of each line with their IDF. A word begins with its stem, but for a last letter as in `compani` and in `price` of "pricing". */
function idfsIn(lines: readonly string[], idfs: readonly TermIdf[]) {
  const beginnings = idfs.map(idf => ({
    beginning: ` ${idf.term.replace(/(?<=...)[ei]$/, '')}`,
    known: [idf.term, idfOf(idf)] as const
  }))
  // Marks are stripped from all lines at once, which takes a fifth of the time.
  const plain = stripMarks(lines.join('\n').toLowerCase()).split('\n')
  return plain.map(line => {
    const words = ` ${wordsOf(line).join(' ')}`
    return beginnings.filter(({ beginning }) => words.includes(beginning)).map(({ known }) => known)
  })
}

/** The sentences of lines of the form `Speaker: words`. */
export function sentencesOf(text: string): ExcerptSentence[] {
  const lines = text.split('\n').map(line => {
    const [, speaker = '', words = ''] = /^(?:(.*?): )?(.*)$/su.exec(line) ?? []
    return { speaker, text: words }
  })
  return splitLines(lines)
}

/** Splits lines into sentences in one call, which takes a tenth of the time of a call for each line. */
function splitLines(lines: readonly ExcerptSentence[]): ExcerptSentence[] {
  const joined = lines.map(({ text }) => text).join('\n')
  let [line, read] = [0, 0]
  const sentences = splitSentences(joined).flatMap(({ text, start }) => {
    line += joined.slice(read, start).split('\n').length - 1
    read = start
    // After an abbreviation, a sentence goes on in the next line.
    return text.split('\n').map((part, at) => ({ speaker: lines[line + at]?.speaker ?? '', text: part.trim() }))
  })
  return sentences.filter(({ text }) => text !== '')
}

/** The sentences of summary, notes and title, without a speaker and without markup. */
function aboutSentences({ title, summary, notes }: Found, idfs: readonly TermIdf[]): ExcerptSentence[] {
  const plain = [summary, notes].map(text =>
    bestParts(text ?? '', idfs)
      .replace(/^[^\S\n]*(?:#+|[-*>]|\d+\.)(?:[^\S\n]+|$)/gm, '')
      .replace(/\\([!-/:-@[-`{-~])|[*`]{1,3}|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu, '$1')
  )
  const lines = [...plain.flatMap(text => text.split('\n')), title]
  return splitLines(lines.map(text => ({ speaker: '', text })))
}

/** A text up to this length is read whole for its snippet; most summaries and notes are shorter. */
const READ_CHARACTERS = 4_000
/** Parts of at most 1,000 characters, which end with a line where possible, else with a sentence, else with a word. */
const PART = /.{1,1000}(?<=\n)|.{1,1000}(?<=\. )|.{1,1000}(?<= )|.{1,1000}/gsu
const PARTS_READ = 4

/** The parts of a long text with the most query terms, in order. A shorter text is returned unchanged. */
export function bestParts(text: string, idfs: readonly TermIdf[]): string {
  if (text.length <= READ_CHARACTERS) return text
  const parts = text.match(PART) ?? []
  const lines = parts.map(part => part.replaceAll('\n', ' '))
  const scores = idfsIn(lines, idfs).map(known => sumOf(known.map(([, idf]) => idf)))
  const best = [...parts.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, PARTS_READ)
  return best
    .sort((a, b) => a - b)
    .map(at => parts[at])
    .join('\n')
}

interface Snippet {
  speaker: string
  text: string
  /** The sum of the IDFs of its terms, less the cost of the sentences that bring them. */
  score: number
}
/** The cost of each sentence after the first. */
const SENTENCE_COST = 0.5
const NOTHING: Snippet = { speaker: '', text: '', score: 0 }

/** The consecutive sentences with the highest score that fit into a snippet. They begin with a query term if one has any. */
export function bestSentences(sentences: readonly ScoredSentence[]): Snippet {
  const answers = [...sentences.keys()].filter(at => sentences[at]?.idf.size)
  const snippets = (answers.length > 0 ? answers : [0]).map(from => snippetFrom(sentences, from))
  return snippets.reduce((best, snippet) => (snippet.score > best.score ? snippet : best))
}

function snippetFrom(sentences: readonly ScoredSentence[], from: number): Snippet {
  const [first, ...others] = sentences.slice(from, from + LIMITS.snippet)
  if (!first) return NOTHING
  let text = cut(shown(first, undefined))
  const idfs = new Map(first.idf)
  let score = sumOf([...idfs.values()])
  for (const [at, sentence] of others.entries()) {
    const longer = `${text} ${shown(sentence, sentences[from + at])}`
    if (longer.length > LIMITS.snippet) break
    text = longer
    for (const [term, idf] of sentence.idf) idfs.set(term, idf)
    score = Math.max(score, sumOf([...idfs.values()]) - SENTENCE_COST * (at + 1))
  }
  return { speaker: first.speaker, text, score }
}

/** Names the speaker where the speaker changes. */
function shown({ speaker, text }: ExcerptSentence, before: ExcerptSentence | undefined) {
  return speaker !== '' && speaker !== before?.speaker ? `${speaker}: ${text}` : text
}

/** Only a sentence longer than a snippet is cut, after a word where possible, and never within a character. */
function cut(text: string) {
  return text.length <= LIMITS.snippet
    ? text
    : `${text.slice(0, LIMITS.snippet - 1).replace(/\s+\S{0,40}$|\p{Cs}$/u, '')}…`
}

function sumOf(numbers: readonly number[]) {
  return numbers.reduce((sum, number) => sum + number, 0)
}
