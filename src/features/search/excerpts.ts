import { setImmediate } from 'node:timers/promises'
import type { SearchResult } from '../../contract/search.ts'
import type { PhoneMetadata, SessionListItem } from '../../contract/session.ts'
import type { QueryEmbedding } from '../../platform/ai/query-embedder.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { vectorText } from '../../platform/db/vector.ts'
import { joinPassages } from '../library/index/passages.ts'
import type { LexicalScore, TermIdf } from './candidates.ts'
import { cutAround } from './cut-around.ts'
import { findPhrase } from './quoted.ts'
import { idfsIn } from './sentence-terms.ts'
import { SIMILARITY_WEIGHT } from './similarities.ts'
import {
  bestSentences,
  type ExcerptSentence,
  NOTHING,
  PHRASE_IDF,
  scoreSentences,
  sentencesOf,
  splitLines
} from './snippet.ts'

/** A session as a result shows it, with its best passages. */
interface Found extends Pick<SessionListItem, 'id' | 'title' | 'timestamp' | 'type'> {
  phone: PhoneMetadata | null
  summary: string | null
  notes: string | null
  best: { start: number | null; end: number | null; text: string; score: number }[] | null
}

/** A session to load, and its passages in which a quoted phrase begins that ends in the next one. */
export interface Shown extends LexicalScore {
  seams?: ReadonlySet<number>
}

interface FoundRow extends Omit<Found, 'best'> {
  best:
    | {
        start: number | null
        end: number | null
        text: string
        score: number
        next: string | null
        next_end: number | null
      }[]
    | null
}

/** Loads sessions with their best passages by the z-scores of lexical score and similarity. Sessions deleted meanwhile are left out. */
export async function findFound(
  db: Queryable,
  userId: string,
  shown: readonly Shown[],
  near: QueryEmbedding | undefined,
  passages: number
): Promise<Found[]> {
  const sessionIds = shown.map(({ sessionId }) => sessionId)
  const worded = shown.flatMap(({ sessionId, passages, seams }) =>
    [...passages].map(([ordinal, lexical]) => ({ session_id: sessionId, ordinal, lexical, seam: seams?.has(ordinal) }))
  )
  const zScore = (value: SQL) =>
    sql`coalesce((${value} - avg(${value}) over ()) / nullif(stddev_pop(${value}) over (), 0), 0)`
  const rows = await db.query<FoundRow>(sql`
    with near as materialized (${passageSimilarities(userId, sessionIds, near)}),
    worded as (select * from jsonb_to_recordset(${JSON.stringify(worded)}::jsonb) as t(session_id text, ordinal integer, lexical float8, seam boolean)),
    scored as (
      select session_id, ordinal, seam, ${zScore(sql`coalesce(lexical, 0)`)} + ${SIMILARITY_WEIGHT}::float8 * ${zScore(sql`similarity`)} as score
      from worded full join near using (session_id, ordinal)
    ),
    ranked as materialized (
      select * from (select scored.*, row_number() over (partition by session_id order by score desc, ordinal) as place from scored) placed
      where place <= ${passages}::int
    )
    select s.session_id as id, s.title, s."timestamp", s.type, s.phone, s.summary, s.notes, (
      select jsonb_agg(jsonb_build_object(
        'start', c.starts_at, 'end', c.ends_at, 'text', c.text, 'score', round(score::numeric, 4), 'next', n.text, 'next_end', n.ends_at
      ) order by place)
      from ranked r join passages c on c.user_id = ${userId} and c.session_id = s.session_id and c.ordinal = r.ordinal
      left join passages n on r.seam and n.user_id = ${userId} and n.session_id = s.session_id and n.ordinal = r.ordinal + 1
      where r.session_id = s.session_id
    ) as best
    from sessions s where s.user_id = ${userId} and s.session_id = any(${sql.param(sessionIds)}::text[]) and s.state = 'completed'
    order by array_position(${sql.param(sessionIds)}::text[], s.session_id)`)
  return rows.map(row => ({ ...row, best: row.best?.map(toPassage) ?? null }))
}

/** The similarity of each passage of the sessions, whose embeddings are read session by session. */
function passageSimilarities(userId: string, sessionIds: string[], near: QueryEmbedding | undefined) {
  return sql`
      select session_id, ordinal, 1 - (vector <=> ${near ? vectorText(near.vector) : null}::halfvec) as similarity
      from unnest(${sql.param(sessionIds)}::text[]) as shown(session_id) cross join lateral (
        select ordinal, vector from embeddings e
        where e.user_id = ${userId} and e.model = ${near?.model ?? null} and e.dimension = ${near?.vector.length ?? 0}
          and e.session_id = shown.session_id offset 0
      ) e`
}

function toPassage({ start, end, text, score, next, next_end: nextEnd }: NonNullable<FoundRow['best']>[number]) {
  const joined = next === null ? undefined : joinPassages(text, next)
  return joined === undefined ? { start, end, text, score } : { start, end: nextEnd, text: joined, score }
}

/** The excerpt that a result shows of its session: the sentences that answer the query best, and the best passages. */
type Excerpt = Required<Pick<SearchResult, 'snippet' | 'passages'>>

/** Selects the excerpt of each session. Other work goes on between them, since notes are long. */
export async function selectExcerpts(
  found: readonly Found[],
  idfs: readonly TermIdf[],
  phrases: readonly string[],
  characters = Number.POSITIVE_INFINITY
): Promise<Excerpt[]> {
  const excerpts: Excerpt[] = []
  for (const one of found) {
    excerpts.push(selectExcerpt(one, idfs, phrases, characters))
    await setImmediate()
  }
  return excerpts
}

/** The snippet is of the best passage, or of summary, notes and title where only those have the terms or the phrase. */
function selectExcerpt(one: Found, idfs: readonly TermIdf[], phrases: readonly string[], characters: number): Excerpt {
  const select = (sentences: readonly ExcerptSentence[]) => bestSentences(scoreSentences(sentences, idfs, phrases))
  const passages = (one.best ?? []).map(passage => ({
    passage,
    best: select(sentencesOf(partsToRead(passage.text, idfs, phrases)))
  }))
  const said = passages[0]?.best ?? NOTHING
  const answers = said.score > (phrases.length > 0 ? PHRASE_IDF : 0)
  const about = answers ? NOTHING : select(aboutSentences(one, idfs))
  return {
    snippet: (said === NOTHING || about.score > said.score ? about : said).text,
    passages: passages.map(({ passage, best: { speaker, text } }) => {
      return { ...passage, text: cutAround(passage.text, { speaker, text }, characters), speaker }
    })
  }
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
const AROUND_CHARACTERS = 1_000

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

/** The parts of a passage to select a snippet from: those around a quoted phrase, or those with the most query terms. */
function partsToRead(text: string, idfs: readonly TermIdf[], phrases: readonly string[]) {
  if (text.length <= READ_CHARACTERS) return text
  const found = phrases.flatMap(phrase => findPhrase(text, phrase) ?? [])[0]
  if (!found) return bestParts(text, idfs)
  const from = text.lastIndexOf(' ', Math.max(0, found.start - AROUND_CHARACTERS)) + 1
  const line = text.slice(text.lastIndexOf('\n', from) + 1, from)
  return `${line.slice(0, line.indexOf(': ') + 2)}${text.slice(from, found.end + AROUND_CHARACTERS)}`
}

function sumOf(numbers: readonly number[]) {
  return numbers.reduce((sum, number) => sum + number, 0)
}
