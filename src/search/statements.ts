import { LIMITS } from '../contract/limits.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import { allowedSessions, type Filter } from './filter.ts'
import type { QueryEmbedding } from './query-embeddings.ts'
import type { WordScores } from './score.ts'

export interface CandidateLimits {
  /** The number of frequent terms that count beside all rare ones: the longest, since those are the rarest. */
  frequent: number
  /** The best terms select sessions until their postings reach this many times the owner's sessions. */
  postingsPerSession: number
  /** The number of sessions selected by terms, and of those selected by similarity. */
  candidates: number
  /** The index is read further when its nearest passages belong to fewer sessions than this. */
  enough: number
}

/** A session of the result, with the lexical scores of its passages. */
export interface ShownSession extends Pick<WordScores, 'passages'> {
  sessionId: string
}

/** The largest ratio between the best IDF and that of a term that selects sessions. */
const MAX_IDF_RATIO = 6

/**
 * The terms that select sessions: the best ones until their postings suffice, without those of low IDF where better ones occur in enough
 * sessions.
 */
function selectiveTerms(allowed: SQL | undefined, postingsPerSession: number, candidates: number) {
  const little = sql`by_passage + by_session >= least
        or not exists (select from idf other where other.by_passage + other.by_session >= least and other.sessions >= ${candidates}::int)`
  return sql`
      select * from (
        select idf.*, sum(sessions) over (order by by_passage + by_session desc, stem rows unbounded preceding) - sessions as before from idf
      ) ordered, (select max(by_passage + by_session) / ${MAX_IDF_RATIO}::int as least from idf) best
      where before < s * ${postingsPerSession}::float8 ${allowed ? undefined : sql`and (${little})`}`
}

/** A term with fewer postings than this is rare. */
const MAX_RARE_POSTINGS = 300

/**
 * Finds lexical candidates: the IDF of the query terms and the sessions with the largest bound on their score. `words` are the query's
 * words with their weights; `frequent`, `postingsPerSession` and `candidates` are those of `CandidateLimits`. The bound takes a session's best
 * postings as if they were in one passage, so it needs the index only. The index is read twice, to count and to score, which costs less
 * than keeping the rows. A term of low IDF selects nothing while better ones occur in enough sessions.
 */
export function lexicalCandidatesStatement(
  userId: string,
  words: ReadonlyMap<string, number>,
  filter: Filter,
  { frequent, postingsPerSession, candidates }: Pick<CandidateLimits, 'frequent' | 'postingsPerSession' | 'candidates'>
): SQL {
  const allowed = allowedSessions(userId, filter)
  return sql`
    with stems as materialized (
      select stem, max(weight) as weight, sum(passages)::float8 as p, sum(sessions)::float8 as s
      from (
        select t.stemmer, t.passages, t.sessions, l.stem, max(w.weight) as weight
        from search_totals t cross join unnest(${sql.param([...words.keys()])}::text[], ${sql.param([...words.values()])}::float8[]) as w(word, weight)
        cross join lateral unnest(
          case when t.stemmer = 'simple' then array[w.word] else ts_lexize((t.stemmer || '_stem')::regdictionary, w.word) end
        ) as l(stem)
        where t.user_id = ${userId} and t.sessions > 0 and l.stem <> ''
        group by t.stemmer, t.passages, t.sessions, l.stem
      ) by_stemmer group by stem
    ),
    counted as (
      select * from (
        select stems.*, n, row_number() over (partition by n = ${MAX_RARE_POSTINGS}::int order by length(stem) desc, stem) as place
        from stems cross join lateral (
          select count(*) as n from (
            select from search_terms where user_id = ${userId} and term = stem and (select count(*) from stems) > ${frequent}::int limit ${MAX_RARE_POSTINGS}
          ) first
        ) found
      ) by_length where n < ${MAX_RARE_POSTINGS}::int or place <= ${frequent}::int
    ),
    idf as materialized (
      select stem, weight * ln(1 + (p - pdf + 0.5) / (pdf + 0.5)) as by_passage,
        weight * ln(1 + (s - sdf + 0.5) / (sdf + 0.5)) as by_session, s, sdf as sessions
      from (
        select stem, weight, p, s, least(coalesce(passages, 0), p) as pdf, least(sessions, s) as sdf
        from counted cross join lateral (
          select sum(passages)::float8 as passages, (count(*) filter (where part = 'said'))::float8 as sessions
          from search_terms where user_id = ${userId} and term = stem
        ) found
      ) all_counted
    ),
    selected as (${selectiveTerms(allowed, postingsPerSession, candidates)}
    ),
    bounded as (
      select session_id, sum(case part
          when 'said' then (by_passage + by_session) * most + 10 * by_session * passages / (passages + 3::float8)
          else 0.5 * by_passage * most end) as bound
      from selected cross join lateral (
        select session_id, part, passages, most from search_terms where user_id = ${userId} and term = selected.stem offset 0
      ) p
      ${allowed && sql`where session_id in (${allowed})`}
      group by session_id order by bound desc limit ${candidates}
    )
    select (select array_agg(session_id) from bounded) as "sessionIds",
      (select jsonb_agg(jsonb_build_object('stem', stem, 'byPassage', by_passage, 'bySession', by_session)) from idf) as idfs,
      (select sum(passages) / greatest(sum(sessions), 1)::float8 from search_totals where user_id = ${userId}) as "averagePassages"`
}

/** Up to this many sessions, comparing all their passages is faster than an index scan. */
const MAX_EXACT_SESSIONS = 250

/** Whether the filter allows more sessions than that. */
export function leavesManyStatement(allowed: SQL): SQL {
  return sql`select count(*) > ${MAX_EXACT_SESSIONS} as many from (${allowed} limit ${MAX_EXACT_SESSIONS + 1}) few`
}

/** The sessions with the passages nearest to the query embedding, by exact comparison. */
export function nearestStatement(userId: string, near: QueryEmbedding, filter: Filter, candidates: number): SQL {
  const allowed = allowedSessions(userId, filter)
  return sql`
    select session_id as "sessionId", ${similarity(near)} as similarity from embeddings
    where ${isComparable(userId, near)} ${allowed && sql`and session_id in (${allowed})`}
    group by session_id order by similarity desc limit ${candidates}`
}

/** The similarity of the nearest passage of each session. */
export function similaritiesStatement(userId: string, near: QueryEmbedding, sessionIds: string[]): SQL {
  return sql`
    select session_id as "sessionId", ${similarity(near)} as similarity
    from embeddings where ${isComparable(userId, near)} and session_id = any(${sql.param(sessionIds)}::text[]) group by session_id`
}

function similarity({ dimension, text }: QueryEmbedding) {
  return sql`max(case when dimension = ${dimension} then 1 - (vector <=> ${text}::halfvec) end)`
}

function isComparable(userId: string, { model, dimension }: QueryEmbedding) {
  return sql`user_id = ${userId} and model = ${model} and dimension = ${dimension}`
}

/**
 * The postings of the query terms in sessions. Each completed session has a row with its number and its passages, then one for each term
 * and part: number of the term, part, passages, sum of the three largest weights, ordinals and weights. Numbers count from 1, and stand for
 * ids because they sort faster. `offset 0` makes the planner look rows up one by one; it would misjudge their number.
 */
export function postingsStatement(userId: string, sessionIds: string[], stems: string[]): SQL {
  return sql`
    with asked as materialized (select stem, word::integer from unnest(${sql.param(stems)}::text[]) with ordinality as t(stem, word)),
    numbered as materialized (
      select t.session_id, n::integer, d.passages as length from unnest(${sql.param(sessionIds)}::text[]) with ordinality as t(session_id, n)
      cross join lateral (
        select from sessions s where s.user_id = ${userId} and s.session_id = t.session_id and s.state = 'completed' offset 0
      ) s
      left join lateral (
        select passages from search_documents d where d.user_id = ${userId} and d.session_id = t.session_id and d.part = 'said' offset 0
      ) d on true
    ),
    postings as materialized (
      select n, word, p.* from numbered cross join asked a cross join lateral (
        select part, passages, most, ordinals, weights from search_terms t
        where t.user_id = ${userId} and t.term = a.stem and t.session_id = numbered.session_id offset 0
      ) p
    )
    select n, length, null::integer as word, null as part, null::integer as passages, null::real as most, null as ordinals, null as weights
    from numbered
    union all select n, null, word, part, passages, most, ordinals::text, weights::text from postings`
}

/** The passages of sessions with their similarity to the query embedding. */
function nearPassages(userId: string, { model, dimension, text }: QueryEmbedding) {
  return sql`
    near as materialized (
      select n, ordinal, case when dimension = ${dimension} then 1 - (vector <=> ${text}::halfvec) end as similarity
      from shown cross join lateral (
        select ordinal, dimension, vector from embeddings e
        where e.user_id = ${userId} and e.model = ${model} and e.dimension = ${dimension} and e.session_id = shown.session_id offset 0
      ) e
    )`
}
const NO_VECTOR = sql`near as (select null::integer as n, null::integer as ordinal, null::float8 as similarity where false)`

/** The sessions as results show them, with their best passages by lexical score and similarity. */
export function foundStatement(
  userId: string,
  shown: ShownSession[],
  { similarityWeight, passages }: { similarityWeight: number; passages: boolean },
  near: QueryEmbedding | undefined
): SQL {
  const sessionIds = shown.map(({ sessionId }) => sessionId)
  const worded = shown.flatMap(({ passages }, at) => [...passages].map(([ordinal, score]) => ({ n: at + 1, ordinal, score })))
  return sql`
    with shown as materialized (select session_id, n::integer from unnest(${sql.param(sessionIds)}::text[]) with ordinality as t(session_id, n)), ${near ? nearPassages(userId, near) : NO_VECTOR},
    worded as (select * from unnest(
      ${sql.param(worded.map(({ n }) => n))}::integer[], ${sql.param(worded.map(({ ordinal }) => ordinal))}::integer[],
      ${sql.param(worded.map(({ score }) => score))}::float8[]
    ) as t(n, ordinal, score)),
    ranked as materialized (
      select * from (
        select n, ordinal, coalesce(score, 0) as score, similarity,
          row_number() over (partition by n order by coalesce(score, 0) + ${similarityWeight}::float8 * coalesce(similarity, 0) desc, ordinal) as place
        from worded full join near using (n, ordinal)
      ) postings where place <= ${passages ? LIMITS.passages : 1}::int
    ),
    passages as (
      select session_id, jsonb_agg(
        jsonb_build_object('start', starts_at, 'end', ends_at, 'text', text, 'score', score, 'similarity', similarity) order by place
      ) as best
      from ranked join shown using (n) cross join lateral (
        select starts_at, ends_at, text from chunks c where c.user_id = ${userId} and c.session_id = shown.session_id and c.ordinal = ranked.ordinal offset 0
      ) c group by session_id
    )
    select s.session_id as id, s.title, s."timestamp", s.type, s.phone, s.language, s.summary, s.notes, best
    from sessions s left join passages using (session_id)
    where s.user_id = ${userId} and s.session_id = any(${sql.param(sessionIds)}::text[]) and s.state = 'completed'`
}
