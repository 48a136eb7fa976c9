import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import type { SearchPart } from '../../platform/db/schema/index.ts'
import { allBits } from './heading-bits.ts'

/** A term of a query that the library has. */
export interface QueryTerm {
  term: string
  /** Its IDF times its weight in the query: among passages and among sessions. */
  byPassage: number
  bySession: number
  /** The number of sessions with the term in their transcript. */
  sessions: number
  /** The words of the query that have the term, folded. */
  forms?: readonly string[]
  /** The words of the query that it stands for in a title, one bit each. */
  bits?: number
}

export type TermIdf = Omit<QueryTerm, 'sessions'>

export function idfOf({ byPassage, bySession }: TermIdf) {
  return byPassage + bySession
}

/** Those of the terms that the owner's library has, with their IDF. `weights` has the weight of each term in the query. */
export async function listQueryTerms(
  db: Queryable,
  userId: string,
  weights: ReadonlyMap<string, number>
): Promise<QueryTerm[]> {
  return await db.query<QueryTerm>(sql`
    select term, weight * ln(1 + (p - pdf + 0.5) / (pdf + 0.5)) as "byPassage", weight * ln(1 + (s - sdf + 0.5) / (sdf + 0.5)) as "bySession", sessions
    from (select sum(passages)::float8 as p, sum(sessions)::float8 as s from search_totals where user_id = ${userId}) total
    cross join unnest(${sql.param([...weights.keys()])}::text[], ${sql.param([...weights.values()])}::float8[]) as q(term, weight)
    cross join lateral (
      select sessions::integer, least(passages, p) as pdf, least(sessions, s) as sdf from (
        select sum(passages)::float8 as passages, count(*) filter (where part = 'said') as sessions
        from search_terms where user_id = ${userId} and term = q.term having count(*) > 0
      ) counted
    ) found`)
}

/** The rarest terms of a query select candidates until this many postings are read. */
const MAX_POSTINGS = 30_000
/** The weights of the transcript as a whole and of the fields beside that of the best passages. */
const SESSION_WEIGHT = 2
const FIELDS_WEIGHT = 0.25
/** BM25's k1 for the number of passages with a term: further ones count less and less. */
const SATURATION = 2

interface LexicalCandidate {
  sessionId: string
  /** True if the query is the title. */
  isWhole: boolean
}

/**
 * Finds the sessions with the largest bound on their lexical score, by the rarest terms, which come first. The bound takes a session's
 * best postings as if they were in one passage, so it needs the index only. As many have those words in title, people and tags, and as many
 * the query as their title.
 */
export async function findLexicalCandidates(
  db: Queryable,
  userId: string,
  terms: readonly QueryTerm[],
  allowed: SQL | undefined,
  candidates: number,
  whole?: string
): Promise<LexicalCandidate[]> {
  let read = 0
  const rarest = terms.filter(({ sessions }) => {
    read += sessions
    return allowed || read - sessions < MAX_POSTINGS
  })
  const all = allBits(rarest)
  const asked = rarest.map(({ term, byPassage, bySession, bits = 0 }) => ({ term, byPassage, bySession, bits }))
  const isAllowed = allowed && sql`where session_id in (${allowed})`
  return await db.query<LexicalCandidate>(sql`
    with bounds as materialized (
      select session_id, sum(case part
        when 'said' then "byPassage" * most
          + ${SESSION_WEIGHT * (SATURATION + 1)}::float8 * "bySession" * passages / (passages + ${SATURATION}::float8)
        else ${FIELDS_WEIGHT}::float8 * "byPassage" * most end) as bound,
        bit_or(bits) filter (where part = 'title') as title, bit_or(bits) filter (where part in ('title', 'names')) as heading
      from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as q(term text, "byPassage" float8, "bySession" float8, bits integer)
      cross join lateral (
        select session_id, part, passages, most from search_terms where user_id = ${userId} and term = q.term offset 0
      ) p
      ${isAllowed} group by session_id
    )
    (select session_id as "sessionId", false as "isWhole" from bounds order by bound desc limit ${candidates})
    union all
    (select session_id, false from bounds where heading = ${all}::integer and heading > 0
      order by title is not distinct from heading desc, bound desc limit ${candidates})
    union all
    (select session_id, true from (
      select session_id from search_terms where user_id = ${userId} and term = ${whole ?? null} and part = 'title' offset 0
    ) titled ${isAllowed} order by session_id desc limit ${candidates})`)
}

export interface LexicalScore {
  sessionId: string
  score: number
  /** The place in the list, in seconds. */
  at: number
  /** All words of the query are in the title, or in title, people and tags together. */
  heading: 'title' | 'names' | undefined
  /** How much of person and period, as the query names them, the session has. */
  meant: number
  /** The lexical score of each passage with a query term, by ordinal. */
  passages: ReadonlyMap<number, number>
}

/**
 * Scores each session by terms. Sessions that are gone or not completed are left out. `offset 0` makes the planner look rows up one by one,
 * since it would misjudge their number.
 */
export async function scoreSessions(
  db: Queryable,
  userId: string,
  sessionIds: string[],
  terms: readonly TermIdf[],
  meant: SQL = sql`0`
): Promise<LexicalScore[]> {
  const rows = await db.query<{
    sessionId: string
    meant: number
    at: number
    relative: number
    postings: TermPosting[] | null
  }>(sql`
    with asked as materialized (
      select term, word from unnest(${sql.param(terms.map(({ term }) => term))}::text[]) with ordinality as t(term, word)
    )
    select c.session_id as "sessionId", ${meant} as meant, at, coalesce(length / average, 1) as relative, postings
    from (select greatest(sum(passages)::float8 / greatest(sum(sessions), 1), 1) as average from search_totals where user_id = ${userId}) usual
    cross join unnest(${sql.param(sessionIds)}::text[]) as c(session_id)
    cross join lateral (
      select extract(epoch from sort_at)::float8 as at from sessions s
      where s.user_id = ${userId} and s.session_id = c.session_id and s.state = 'completed' offset 0
    ) s
    left join lateral (
      select passages as length from search_documents d where d.user_id = ${userId} and d.session_id = c.session_id and d.part = 'said' offset 0
    ) d on true
    cross join lateral (
      select json_agg(p) as postings from (
        select word - 1 as word, part, passages, most, ordinals, weights from asked cross join lateral (
          select * from search_terms t where t.user_id = ${userId} and t.term = asked.term and t.session_id = c.session_id offset 0
        ) t
      ) p
    ) p`)
  return rows.map(({ sessionId, meant, at, relative, postings }) => ({
    sessionId,
    meant,
    at,
    ...scorePostings(postings ?? [], terms, relative)
  }))
}

/** The postings of one query term in a part of a session: its transcript, or its title, notes, summary and so on. */
export interface TermPosting {
  /** The index of the query term. */
  word: number
  part: SearchPart
  /** The number of passages that contain the term. */
  passages: number
  /** The sum of its three largest weights. */
  most: number
  /** The passages that contain it and its BM25 weight in each; empty for fields. */
  ordinals: number[]
  weights: number[]
}

/** The weight of neighbouring passages: an answer may cross the border of a passage. */
const NEIGHBOUR_WEIGHT = 0.15
const BEST_PASSAGES = 3

/** Scores a session with `relative` times as many passages as usual. */
export function scorePostings(
  postings: TermPosting[],
  idfs: readonly TermIdf[],
  relative: number
): Pick<LexicalScore, 'score' | 'heading' | 'passages'> {
  const passages = new Map<number, number>()
  let session = 0
  let fields = 0
  const bits = { title: 0, names: 0 }
  for (const { word, part, passages: count, most, ordinals, weights } of postings) {
    const { byPassage, bySession, bits: stoodFor = 0 } = idfs[word] ?? { byPassage: 0, bySession: 0 }
    if (part === 'title' || part === 'names') bits[part] |= stoodFor
    for (const [at, ordinal] of ordinals.entries()) {
      passages.set(ordinal, (passages.get(ordinal) ?? 0) + byPassage * (weights[at] ?? 0))
    }
    if (part === 'said') session += (bySession * (SATURATION + 1) * count) / (count + SATURATION * relative)
    else fields += byPassage * most
  }
  const all = allBits(idfs)
  const isHeading = all > 0 && (bits.title | bits.names) === all
  const heading = isHeading ? (bits.title === all ? 'title' : 'names') : undefined
  return { score: bestOf(passages) + SESSION_WEIGHT * session + FIELDS_WEIGHT * fields, heading, passages }
}

/** Combines the three best passages; the best counts most. */
function bestOf(passages: ReadonlyMap<number, number>) {
  const scores = [...passages].map(([ordinal, score]) => {
    const beside = (passages.get(ordinal - 1) ?? 0) + (passages.get(ordinal + 1) ?? 0)
    return (score + NEIGHBOUR_WEIGHT * beside) / (1 + NEIGHBOUR_WEIGHT)
  })
  const best = scores.sort((a, b) => b - a).slice(0, BEST_PASSAGES)
  return BEST_PASSAGES * (best.reduce((sum, score) => sum + score ** 4, 0) / BEST_PASSAGES) ** 0.25
}
