import { LIMITS } from '../contract/limits.ts'
import type { Statement } from '../db/open.ts'
import { allowedText, type Filter, nameOf } from './filter.ts'

const statements = new Map<string, Statement>()

/** A statement that is asked for often, made once for each combination of filters. */
export function prepared(kind: string, filter: Filter, first: number, textOf: (allowed: string | undefined) => string): Statement {
  const name = `${kind}_${nameOf(filter)}`
  const known = statements.get(name)
  if (known) return known
  const made = { name, text: textOf(allowedText(filter, first)) }
  statements.set(name, made)
  return made
}

/** A word is worth little that is worth so many times less than another. */
const TIMES_LESS = 6

/** The words that choose sessions: those that are worth most, until they stand in enough, without those that are worth little beside them. */
function tellingText(allowed: string | undefined) {
  const little = `by_passage + by_session >= least
        or not exists (select from worth other where other.by_passage + other.by_session >= least and other.sessions >= $4)`
  return `
      select * from (
        select worth.*, sum(sessions) over (order by by_passage + by_session desc, stem rows unbounded preceding) - sessions as before from worth
      ) ordered, (select max(by_passage + by_session) / ${TIMES_LESS} as least from worth) best
      where before < s * $6 ${allowed ? '' : `and (${little})`}`
}

/** Which of many words are rare, counting so far tells. */
const RARE = 300

/**
 * What the words of a query are worth to the owner, and the sessions that they promise most of. Parameters: user, words, what each counts, how many
 * sessions, how many words that are not rare, in how many times the owner's sessions those may stand that choose, then the filters. The promise is what a
 * session would score if all its best places were one; it is read from the index alone. The index is read twice, to count and to score: that takes
 * less than keeping what was read. Words that are worth little beside another, which nearly all sessions have, promise nothing, as long as sessions
 * enough have another.
 */
export function wordsStatement(filter: Filter): Statement {
  return prepared(
    'search_words',
    filter,
    7,
    allowed => `
    with stems as materialized (
      select stem, max(weight) as weight, sum(passages)::float8 as p, sum(sessions)::float8 as s
      from (
        select t.stemmer, t.passages, t.sessions, l.stem, max(w.weight) as weight
        from search_totals t cross join unnest($2::text[], $3::float8[]) as w(word, weight)
        cross join lateral unnest(
          case when t.stemmer = 'simple' then array[w.word] else ts_lexize((t.stemmer || '_stem')::regdictionary, w.word) end
        ) as l(stem)
        where t.user_id = $1 and t.sessions > 0 and l.stem <> ''
        group by t.stemmer, t.passages, t.sessions, l.stem
      ) by_stemmer group by stem
    ),
    counted as (
      select * from (
        select stems.*, n, row_number() over (partition by n = ${RARE} order by length(stem) desc, stem) as place
        from stems cross join lateral (
          select count(*) as n from (
            select from search_terms where user_id = $1 and term = stem and (select count(*) from stems) > $5 limit ${RARE}
          ) first
        ) found
      ) by_length where n < ${RARE} or place <= $5
    ),
    worth as materialized (
      select stem, weight * ln(1 + (p - pdf + 0.5) / (pdf + 0.5)) as by_passage,
        weight * ln(1 + (s - sdf + 0.5) / (sdf + 0.5)) as by_session, s, sdf as sessions
      from (
        select stem, weight, p, s, least(coalesce(passages, 0), p) as pdf, least(sessions, s) as sdf
        from counted cross join lateral (
          select sum(passages)::float8 as passages, (count(*) filter (where part = 'said'))::float8 as sessions
          from search_terms where user_id = $1 and term = stem
        ) found
      ) all_counted
    ),
    telling as (${tellingText(allowed)}
    ),
    promising as (
      select session_id, sum(case part
          when 'said' then (by_passage + by_session) * most + 10 * by_session * passages / (passages + 3::float8)
          else 0.5 * by_passage * most end) as promise
      from telling cross join lateral (
        select session_id, part, passages, most from search_terms where user_id = $1 and term = telling.stem offset 0
      ) p
      ${allowed ? `where session_id in (${allowed})` : ''}
      group by session_id order by promise desc limit $4
    )
    select (select array_agg(session_id) from promising),
      (select jsonb_agg(jsonb_build_array(stem, by_passage, by_session)) from worth),
      (select sum(passages) / greatest(sum(sessions), 1)::float8 from search_totals where user_id = $1)`
  )
}

/** Of so few sessions, comparing all passages takes less than finding them among an owner's others in an index. */
const FEW = 250

/** Whether a filter leaves more than those. Parameters: user, then the filters. */
export function wideStatement(filter: Filter): Statement {
  return prepared('search_wide', filter, 2, allowed => `select count(*) > ${FEW} from (${allowed} limit ${FEW + 1}) few`)
}

/** The sessions with the passages nearest to a vector, compared one by one. Parameters: user, model, dimension, vector, how many, then the filters. */
export function nearestStatement(filter: Filter): Statement {
  return prepared(
    'search_nearest',
    filter,
    6,
    allowed => `
    select session_id, max(case when dimension = $3 then 1 - (vector <=> $4::halfvec) end) as likeness
    from embeddings where user_id = $1 and model = $2 and dimension = $3
    ${allowed ? `and session_id in (${allowed})` : ''}
    group by session_id order by likeness desc limit $5`
  )
}

/**
 * Where the words of a query stand in sessions. Parameters: user, sessions, stems. A row for each session that is completed, of its number and its
 * passages; then a row for each word in each part of a session: the session's number, none, the word's number, the part, in how many passages, what
 * the word weighs in the three best of them, and in which it weighs what. Sessions are numbered from 1, since numbers sort and compare faster than ids.
 * What `offset 0` keeps apart is looked up one by one: the database knows too little of how many there are.
 */
export const PLACES_OF: Statement = {
  name: 'search_places',
  text: `
    with asked as materialized (select stem, word::integer from unnest($3::text[]) with ordinality as t(stem, word)),
    numbered as materialized (
      select t.session_id, n::integer, d.passages as length from unnest($2::text[]) with ordinality as t(session_id, n)
      cross join lateral (
        select from sessions s where s.user_id = $1 and s.session_id = t.session_id and s.state = 'completed' offset 0
      ) s
      left join lateral (
        select passages from search_documents d where d.user_id = $1 and d.session_id = t.session_id and d.part = 'said' offset 0
      ) d on true
    ),
    places as materialized (
      select n, word, p.* from numbered cross join asked a cross join lateral (
        select part, passages, most, ordinals, weights from search_terms t
        where t.user_id = $1 and t.term = a.stem and t.session_id = numbered.session_id offset 0
      ) p
    )
    select n, length, null::integer, null, null::integer, null::real, null, null from numbered
    union all select n, null, word, part, passages, most, ordinals::text, weights::text from places`
}

/** How near the nearest passage of each session is to a vector. Parameters: user, model, dimension, vector, sessions. */
export const LIKENESSES: Statement = {
  name: 'search_likenesses',
  text: `
    select session_id, max(case when dimension = $3 then 1 - (vector <=> $4::halfvec) end)
    from embeddings where user_id = $1 and model = $2 and dimension = $3 and session_id = any($5::text[]) group by session_id`
}

/** The passages of sessions with their likeness to a vector; model, dimension and vector are $7 to $9. */
const NEAR = `
    near as materialized (
      select n, ordinal, case when dimension = $8 then 1 - (vector <=> $9::halfvec) end as likeness
      from shown cross join lateral (
        select ordinal, dimension, vector from embeddings e
        where e.user_id = $1 and e.model = $7 and e.dimension = $8 and e.session_id = shown.session_id offset 0
      ) e
    )`
const NOWHERE_NEAR = 'near as (select null::integer as n, null::integer as ordinal, null::float8 as likeness where false)'

/**
 * What the answer tells of the sessions found, with their best passages. Parameters: user, sessions; of the passages that have words of the query, the
 * number of the session, from 1, their ordinals and what the words score; how much more likeness counts than words; with a vector model, dimension and vector.
 */
export const FOUND = { one: found(1), best: found(LIMITS.passages) }

/** With a vector and without. */
function found(passages: number) {
  const name = `search_found_${passages}`
  return { near: { name, text: foundText(passages, NEAR) }, byWords: { name: `${name}_by_words`, text: foundText(passages, NOWHERE_NEAR) } }
}

function foundText(passages: number, near: string) {
  return `
    with shown as materialized (select session_id, n::integer from unnest($2::text[]) with ordinality as t(session_id, n)), ${near},
    worded as (select * from unnest($3::integer[], $4::integer[], $5::float8[]) as t(n, ordinal, score)),
    ranked as materialized (
      select * from (
        select n, ordinal, coalesce(score, 0) as score, likeness,
          row_number() over (partition by n order by coalesce(score, 0) + $6::float8 * coalesce(likeness, 0) desc, ordinal) as place
        from worded full join near using (n, ordinal)
      ) places where place <= ${passages}
    ),
    passages as (
      select session_id, jsonb_agg(jsonb_build_array(starts_at, ends_at, text, score, likeness) order by place) as best
      from ranked join shown using (n) cross join lateral (
        select starts_at, ends_at, text from chunks c where c.user_id = $1 and c.session_id = shown.session_id and c.ordinal = ranked.ordinal offset 0
      ) c group by session_id
    )
    select s.session_id, s.title, s."timestamp", s.type, s.phone, s.language, s.summary, s.notes, best
    from sessions s left join passages using (session_id) where s.user_id = $1 and s.session_id = any($2::text[]) and s.state = 'completed'`
}
