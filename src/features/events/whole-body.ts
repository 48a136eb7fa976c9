import { type Param, type SQL, sql } from '../../platform/db/drizzle.ts'

/**
 * The body of the event `e` as it is sent: with each large text in the place of its cut, U+001F. A statement that reads bodies must put the
 * texts back itself, because in its snapshot no text of an event is missing. `userIds` are the owners whom it names.
 */
export function wholeBody(userIds: Param) {
  return sql`case when e.texts is null then e.body else (
      select string_agg(p.piece || coalesce(t.json, ''), '' order by p.place)
      from unnest(string_to_array(e.body, chr(31)), e.texts) with ordinality p (piece, hash, place)
      left join event_texts t on t.user_id = any(${userIds}::text[]) and t.user_id = e.user_id and t.session_id = e.session_id and t.hash = p.hash
    ) end`
}

/**
 * The body of the event `e` with only the id of its session, for the payload `thin`. `data` comes last in a body, and what precedes it is
 * ids, a type and a time, which cannot contain the key.
 */
const THIN_BODY = sql.raw(`split_part(e.body, ',"data":', 1) || ',"data":{"session":{"id":"' || e.session_id || '"}}}'`)

/** The body of the event `e` as a webhook with that payload gets it; null if the event is no longer kept. */
export function sentBody(userIds: Param, payload: SQL) {
  return sql`case ${payload} when 'thin' then ${THIN_BODY} else ${wholeBody(userIds)} end`
}

/** The bytes of the whole body, which are known without reading it. */
export function wholeLength(userIds: Param) {
  return sql`octet_length(e.body) + case when e.texts is null then 0 else (
      select sum(octet_length(t.json) - 1) from unnest(e.texts) r (hash)
      join event_texts t on t.user_id = any(${userIds}::text[]) and t.user_id = e.user_id and t.session_id = e.session_id and t.hash = r.hash
    ) end`
}
