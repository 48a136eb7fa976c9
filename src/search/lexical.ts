import { type SQL, sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'

/** A term of a query and its weight there. A term of several stemmers has the largest. */
export type QueryTerms = ReadonlyMap<string, number>

/** The IDF of a query term, times its weight in the query: among passages and among sessions. */
export interface TermIdf {
  term: string
  byPassage: number
  bySession: number
}

export function idfOf({ byPassage, bySession }: TermIdf) {
  return byPassage + bySession
}

/** The rarest terms of a query select candidates until this many postings are read. */
const MAX_POSTINGS = 30_000
/** Only the terms with the largest IDF are scored: with all of them a query of 64 words takes 40 % more time and finds no more. */
const MAX_SCORED_TERMS = 40
/** The weights of the transcript as a whole and of the fields beside that of the best passages. */
const SESSION_WEIGHT = 2.5
const FIELDS_WEIGHT = 0.25
/** BM25's k1 for the number of passages with a term: further ones count less and less. */
const SATURATION = 3

interface LexicalCandidates {
  /** Sessions with the largest bounds on their lexical score. */
  sessionIds: string[]
  averagePassages: number
  /** The terms that are scored. */
  idfs: TermIdf[]
}

/**
 * Finds the sessions with the largest bound on their lexical score, by the rarest terms. The bound takes a session's best postings as if
 * they were in one passage, so it needs the index only. The index is read twice, to count and to score, which costs less than keeping rows.
 */
export async function findLexicalCandidates(
  db: Queryable,
  userId: string,
  terms: QueryTerms,
  allowed: SQL | undefined,
  candidates: number
): Promise<LexicalCandidates> {
  const [row] = await db.query<{ sessionIds: string[] | null; idfs: TermIdf[] | null; averagePassages: number | null }>(sql`
    with total as materialized (
      select sum(passages)::float8 as p, sum(sessions)::float8 as s from search_totals where user_id = ${userId}
    ),
    idf as materialized (
      select term, sessions, weight * ln(1 + (p - pdf + 0.5) / (pdf + 0.5)) as by_passage, weight * ln(1 + (s - sdf + 0.5) / (sdf + 0.5)) as by_session
      from (
        select term, weight, p, s, sessions, least(coalesce(passages, 0), p) as pdf, least(sessions, s) as sdf
        from total cross join unnest(${sql.param([...terms.keys()])}::text[], ${sql.param([...terms.values()])}::float8[]) as q(term, weight)
        cross join lateral (
          select sum(passages)::float8 as passages, (count(*) filter (where part = 'said'))::float8 as sessions
          from search_terms where user_id = ${userId} and term = q.term
        ) found
      ) counted
    ),
    bounded as (
      select session_id, sum(case part
          when 'said' then (by_passage + by_session) * most
            + ${SESSION_WEIGHT * (SATURATION + 1)}::float8 * by_session * passages / (passages + ${SATURATION}::float8)
          else ${FIELDS_WEIGHT}::float8 * by_passage * most end) as bound
      from (
        select idf.*, sum(sessions) over (order by by_passage + by_session desc, term rows unbounded preceding) - sessions as before from idf
      ) rarest cross join lateral (
        select session_id, part, passages, most from search_terms where user_id = ${userId} and term = rarest.term offset 0
      ) p
      where ${allowed ? sql`session_id in (${allowed})` : sql`before < ${MAX_POSTINGS}::int`}
      group by session_id order by bound desc limit ${candidates}
    )
    select (select array_agg(session_id) from bounded) as "sessionIds",
      (select jsonb_agg(jsonb_build_object('term', term, 'byPassage', by_passage, 'bySession', by_session)) from idf) as idfs,
      (select greatest(p / greatest(s, 1), 1) from total) as "averagePassages"`)
  const scored = (row?.idfs ?? []).toSorted((a, b) => idfOf(b) - idfOf(a)).slice(0, MAX_SCORED_TERMS)
  return { sessionIds: row?.sessionIds ?? [], idfs: scored, averagePassages: row?.averagePassages ?? 1 }
}

export interface LexicalScore {
  sessionId: string
  score: number
  /** The lexical score of each passage with a query term, by ordinal. */
  passages: ReadonlyMap<number, number>
}

/**
 * Scores each session by terms. Sessions that are gone or not completed are left out. Numbers stand for ids because they sort faster;
 * `offset 0` makes the planner look rows up one by one, since it would misjudge their number.
 */
export async function scoreSessions(
  db: Queryable,
  userId: string,
  sessionIds: string[],
  { idfs, averagePassages }: Omit<LexicalCandidates, 'sessionIds'>
): Promise<LexicalScore[]> {
  const rows = await db.query<{ sessionId: string; length: number | null; postings: TermPosting[] | null }>(sql`
    with asked as materialized (
      select term, word from unnest(${sql.param(idfs.map(({ term }) => term))}::text[]) with ordinality as t(term, word)
    )
    select c.session_id as "sessionId", length, postings
    from unnest(${sql.param(sessionIds)}::text[]) as c(session_id)
    cross join lateral (
      select from sessions s where s.user_id = ${userId} and s.session_id = c.session_id and s.state = 'completed' offset 0
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
  return rows.map(({ sessionId, length, postings }) => {
    return { sessionId, ...scorePostings(postings ?? [], idfs, (length ?? averagePassages) / averagePassages) }
  })
}

/** The postings of one query term in a part of a session: its transcript, or its title, notes, summary and so on. */
export interface TermPosting {
  /** The index of the query term. */
  word: number
  part: 'said' | 'about'
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
export function scorePostings(postings: TermPosting[], idfs: TermIdf[], relative: number): Omit<LexicalScore, 'sessionId'> {
  const passages = new Map<number, number>()
  let session = 0
  let fields = 0
  for (const { word, part, passages: count, most, ordinals, weights } of postings) {
    const { byPassage, bySession } = idfs[word] ?? { byPassage: 0, bySession: 0 }
    for (const [at, ordinal] of ordinals.entries()) {
      passages.set(ordinal, (passages.get(ordinal) ?? 0) + (byPassage + bySession) * (weights[at] ?? 0))
    }
    if (part === 'said') session += (bySession * (SATURATION + 1) * count) / (count + SATURATION * relative)
    else fields += byPassage * most
  }
  return { score: bestOf(passages) + SESSION_WEIGHT * session + FIELDS_WEIGHT * fields, passages }
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
