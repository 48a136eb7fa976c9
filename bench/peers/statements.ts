/** Statements that an expert on these tables writes by hand: one for each read, and the transaction of a change. */

const COLUMNS =
  's.session_id as id, s.title, s."timestamp", s.duration_seconds, s.type, s.platform, s.audio_deleted_at, s.phone, s.sort_at'

export const LIST = {
  name: 'list',
  text: `select ${COLUMNS} from sessions s
    where s.user_id = $1 and s.state = 'completed' and s.sort_at < $2::timestamptz and s.sort_at >= $3::timestamptz
    order by s.sort_at desc limit $4`
}

const members = (table: string, of: string) => `select ${COLUMNS} from ${table} m
    join sessions s on s.user_id = m.user_id and s.session_id = m.session_id
    where m.user_id = $1 and m.sort_at < $2::timestamptz and m.sort_at >= $3::timestamptz and ${of} and s.state = 'completed'
    order by m.sort_at desc limit $4`

export const LIST_BY = {
  tag: { name: 'list_tag', text: members('session_tags', 'm.tag = $5') },
  folder: {
    name: 'list_folder',
    text: members(
      'folder_sessions',
      'm.folder_id = (select folder_id from folders where user_id = $1 and (folder_id = $5 or name_key = $5))'
    )
  },
  person: {
    name: 'list_person',
    text: members(
      'session_people',
      'm.person_id = (select person_id from people where user_id = $1 and person_id = $5)'
    )
  }
}

const FOLDER_IDS = `array(select folder_id from folder_sessions f where f.user_id = s.user_id and f.session_id = s.session_id order by folder_id)
      as folder_ids`

const DETAIL_COLUMNS = `${COLUMNS.replace(', s.sort_at', '')}, language, summary, notes, tags, favorite, ${FOLDER_IDS},
      coalesce(action_items, '[]') as action_items, action_items_version`

export const DETAIL = {
  name: 'detail',
  text: `select ${DETAIL_COLUMNS} from sessions s where user_id = $1 and session_id = $2`
}

export const TRANSCRIPT = {
  name: 'transcript',
  text: 'select segments from transcripts where user_id = $1 and session_id = $2'
}

/** Sums whole days from their counts ($4 to $5), and the ends of the period ($2 and $3) from the sessions. */
export const STATS = {
  name: 'stats',
  text: `select type, platform, sum(sessions)::int as sessions, sum(seconds)::float8 as seconds from (
      select type, platform, sessions, seconds from session_days where user_id = $1 and day >= $4::date and day < $5::date
      union all
      select type, coalesce(platform, 'unknown'), 1, duration_seconds::numeric from sessions
      where user_id = $1 and state = 'completed' and sort_at >= $2::timestamptz and sort_at < $4::date
      union all
      select type, coalesce(platform, 'unknown'), 1, duration_seconds::numeric from sessions
      where user_id = $1 and state = 'completed' and sort_at >= $5::date and sort_at < $3::timestamptz
    ) counted group by type, platform order by type, platform`
}

export const EVENTS = {
  name: 'events',
  text: 'select seq, body from events where user_id = $1 and seq > $2 order by seq limit $3'
}

export const EXPORT = {
  name: 'export',
  text: `select ${COLUMNS.replace(', s.sort_at', '')}, language, summary, segments
    from sessions s left join transcripts t on t.user_id = s.user_id and t.session_id = s.session_id
    where s.user_id = $1 and s.session_id = any($2::text[]) and s.state = 'completed' order by array_position($2::text[], s.session_id)`
}

export const CHANGE = {
  name: 'change',
  text: `update sessions s set favorite = $3, updated_at = $4 where user_id = $1 and session_id = $2 and state <> 'deleted'
    returning ${DETAIL_COLUMNS}`
}

/** Writes the user's next number, the event and its deliveries. */
export const RECORD = {
  name: 'record',
  text: `with counter as (
      insert into user_counters as c (user_id, last_seq) values ($1, 1)
      on conflict (user_id) do update set last_seq = c.last_seq + 1 returning last_seq
    ), recorded as (
      insert into events (user_id, seq, event_id, type, session_id, created_at, body)
      select $1, last_seq, $2, 'session.updated', $3, $4, $5 from counter returning seq
    ), queued as (
      insert into webhook_deliveries (user_id, webhook_id, seq, event_id, type, attempt, attempts_before, next_at)
      select $1, webhook_id, seq, $2, 'session.updated', 0, 0, $4 from recorded, webhooks
      where user_id = $1 and active and 'session.updated' = any(events) returning webhook_id
    )
    insert into webhook_queue as q (user_id, webhook_id, next_due) select $1, webhook_id, $4 from queued
    on conflict (user_id, webhook_id) do update set next_due = least(q.next_due, excluded.next_due)`
}

export const TOKEN_OWNERS = {
  name: 'token_owners',
  text: 'select hash, user_id, token_id from token_owners where hash = any($1::bytea[])'
}

const MINUTE_OPEN = "r.minute between excluded.minute and excluded.minute + interval '1 minute'"
const DAY_OPEN = `(r.day = excluded.day or (r.day > excluded.day and ${MINUTE_OPEN}))`
const MINUTE_SPENT = `(case when ${MINUTE_OPEN} then r.minute_count else 0 end)`
const DAY_SPENT = `(case when ${DAY_OPEN} then r.day_count else excluded.day_count - excluded.admitted end)`
const ADMITTED = `greatest(0, least(excluded.admitted, $5::int - ${MINUTE_SPENT}, $6::int - ${DAY_SPENT}))`

/** Checks the tokens of a batch of requests ($1 to $3) at a time ($4), and counts them up to the limits of a minute and a day ($5 and $6). */
export const ADMIT = {
  name: 'admit',
  text: `with valid as materialized (
      select a.token_id, a.n, t.scopes, t.expires_at
      from unnest((select $1::text[]), (select $2::text[]), (select $3::int[])) as a(user_id, token_id, n)
      cross join lateral (
        select scopes, expires_at from tokens
        where user_id = a.user_id and token_id = a.token_id and revoked_at is null and expires_at > $4::timestamptz
        offset 0
      ) t
    ),
    counted as (
      insert into rate_counters as r (token_id, minute, minute_count, day, day_count, admitted)
      select token_id, date_trunc('minute', now()), n, (now() at time zone 'UTC')::date, spent + n, n
      from (
        select a.token_id, coalesce(d.day_count, 0) as spent,
          least(a.n, $5::int, greatest(0, $6::int - coalesce(d.day_count, 0))) as n
        from valid a left join rate_days d on d.token_id = a.token_id and d.day = (now() at time zone 'UTC')::date
        order by a.token_id
      ) as fresh
      on conflict (token_id) do update set
        minute = case when ${MINUTE_OPEN} then r.minute else excluded.minute end,
        day = case when ${DAY_OPEN} then r.day else excluded.day end,
        minute_count = ${MINUTE_SPENT} + ${ADMITTED},
        day_count = ${DAY_SPENT} + ${ADMITTED},
        admitted = ${ADMITTED}
      returning token_id, minute_count, day_count, admitted
    )
    select counted.*, valid.scopes, valid.expires_at from counted join valid on valid.token_id = counted.token_id`
}
