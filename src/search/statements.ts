import type { Statement } from '../db/open.ts'
import { allowedText, type Filter, nameOf } from './filter.ts'

const statements = new Map<string, Statement>()

/** A statement that is asked for often, made once for each combination of filters. */
function prepared(kind: string, filter: Filter, first: number, textOf: (allowed: string | undefined) => string): Statement {
  const name = `${kind}_${nameOf(filter)}`
  const known = statements.get(name)
  if (known) return known
  const made = { name, text: textOf(allowedText(filter, first)) }
  statements.set(name, made)
  return made
}

/**
 * What the words of a query are worth to the owner, and the sessions that they promise most of. Parameters: user, words, how many
 * sessions, then the filters. The promise is what a session would score if all its best places were one; it is read from the index alone.
 */
export function wordsStatement(filter: Filter): Statement {
  return prepared(
    'search_words',
    filter,
    4,
    allowed => `
    with stems as materialized (
      select stem, sum(passages) as passages, sum(sessions) as sessions
      from (
        select distinct t.stemmer, t.passages, t.sessions, l.stem
        from search_totals t cross join unnest($2::text[]) as w(word)
        cross join lateral unnest(
          case when t.stemmer = 'simple' then array[w.word] else ts_lexize((t.stemmer || '_stem')::regdictionary, w.word) end
        ) as l(stem)
        where t.user_id = $1 and t.sessions > 0 and l.stem <> ''
      ) s group by stem
    ),
    places as materialized (
      select s.stem, p.session_id, p.part, p.passages, p.most from stems s
      cross join lateral (
        select session_id, part, passages, most from search_terms where user_id = $1 and term = s.stem offset 0
      ) p
    ),
    worth as materialized (
      select stem, ln(1 + (p - pdf + 0.5) / (pdf + 0.5)) as by_passage, ln(1 + (s - sdf + 0.5) / (sdf + 0.5)) as by_session
      from (
        select stem, s.passages as p, s.sessions as s,
          least(coalesce(sum(places.passages), 0), s.passages) as pdf, least(count(*) filter (where part = 'said'), s.sessions) as sdf
        from stems s left join places using (stem) group by stem, s.passages, s.sessions
      ) counted
    ),
    promising as (
      select session_id, sum(case part
          when 'said' then (by_passage + by_session) * most + 8 * by_session * places.passages / (places.passages + 3.0)
          else 0.5 * by_passage * most end) as promise
      from places join worth using (stem)
      ${allowed ? `where session_id in (${allowed})` : ''}
      group by session_id order by promise desc limit $3
    )
    select (select array_agg(session_id) from promising),
      (select jsonb_agg(jsonb_build_array(stem, by_passage, by_session)) from worth),
      (select sum(passages) / greatest(sum(sessions), 1)::float8 from search_totals where user_id = $1)`
  )
}

/** The sessions with the passages nearest to a vector, compared one by one. Parameters: user, model, dimension, vector, how many, then the filters. */
export function nearestStatement(filter: Filter): Statement {
  return prepared(
    'search_nearest',
    filter,
    6,
    allowed => `
    select session_id from embeddings where user_id = $1 and model = $2 and dimension = $3
    ${allowed ? `and session_id in (${allowed})` : ''}
    group by session_id order by min(case when dimension = $3 then vector <=> $4::halfvec end) limit $5`
  )
}

/**
 * What sessions score exactly. Parameters: user, sessions, stems, what each is worth among passages and among sessions, the usual
 * number of passages, how much more likeness counts than words when the passages of one session are ordered; and with vectors
 * model, dimension and vector. A row each: id, by words in its three best passages, by words all over, by what is written about it,
 * likeness of the nearest passage, then up to three passages, best first: ordinals, by words, likeness.
 */
export function scoresStatement(vectors: boolean): Statement {
  return vectors ? WITH_VECTORS : BY_WORDS
}

const BY_WORDS = { name: 'search_scores_by_words', text: scoresText(false) }
const WITH_VECTORS = { name: 'search_scores', text: scoresText(true) }

function scoresText(vectors: boolean) {
  const near = vectors
    ? `select session_id, ordinal, case when dimension = $9 then 1 - (vector <=> $10::halfvec) end as likeness
      from embeddings where user_id = $1 and model = $8 and dimension = $9 and session_id = any($2::text[])`
    : `select null::text as session_id, null::integer as ordinal, null::float8 as likeness where false`
  return `
    with asked as materialized (
      select * from unnest($3::text[], $4::float8[], $5::float8[]) as t(stem, by_passage, by_session)
    ),
    places as materialized (
      select p.session_id, p.part, p.passages, p.most, p.ordinals, p.weights, a.by_passage, a.by_session
      from asked a cross join lateral (
        select * from search_terms where user_id = $1 and term = a.stem and session_id = any($2::text[]) offset 0
      ) p
    ),
    worded as (
      select session_id, ordinal::integer, sum((by_passage + by_session) * weight) as score
      from places cross join lateral unnest(ordinals, weights) as u(ordinal, weight) group by session_id, ordinal
    ),
    near as (${near}),
    passages as (
      select session_id, ordinal, coalesce(score, 0) as score, likeness from worded full join near using (session_id, ordinal)
    ),
    ranked as (
      select *, row_number() over (partition by session_id order by score desc) as by_words,
        row_number() over (partition by session_id order by score + $7::float8 * coalesce(likeness, 0) desc, ordinal) as best
      from passages
    ),
    said as (
      select session_id, sqrt(3 * sum(score * score) filter (where by_words <= 3)) as best_passages, max(likeness) as likeness,
        array_agg(ordinal order by best) filter (where best <= 3) as ordinals,
        array_agg(score order by best) filter (where best <= 3) as scores,
        array_agg(likeness order by best) filter (where best <= 3) as likenesses
      from ranked group by session_id
    ),
    overall as (
      select p.session_id,
        sum(p.by_session * 4 * p.passages / (p.passages + 3 * (0.3 + 0.7 * d.passages / greatest($6::float8, 1)))) filter (where p.part = 'said') as everywhere,
        sum(p.by_passage * p.most) filter (where p.part = 'about') as about
      from places p left join search_documents d on d.user_id = $1 and d.session_id = p.session_id and d.part = 'said' group by p.session_id
    )
    select s.session_id, coalesce(best_passages, 0), coalesce(everywhere, 0), coalesce(about, 0), likeness, ordinals, scores, likenesses
    from sessions s left join said using (session_id) left join overall using (session_id)
    where s.user_id = $1 and s.session_id = any($2::text[]) and s.state = 'completed'`
}

/** What the answer tells of the sessions found, with some of their passages. Parameters: user, sessions, and in pairs session and ordinal. */
export const FOUND = {
  name: 'search_found',
  text: `select s.session_id, s.title, s."timestamp", s.type, s.phone, s.language, s.summary, s.notes,
      (select jsonb_agg(jsonb_build_array(c.ordinal, c.starts_at, c.ends_at, c.text))
        from unnest($3::text[], $4::integer[]) as a(session_id, ordinal)
        join chunks c on c.user_id = $1 and c.session_id = a.session_id and c.ordinal = a.ordinal where a.session_id = s.session_id)
    from sessions s where s.user_id = $1 and s.session_id = any($2::text[]) and s.state = 'completed'`
}
