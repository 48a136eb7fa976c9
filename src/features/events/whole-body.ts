import { type Param, sql } from '../../platform/db/drizzle.ts'

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

/** The bytes of that body, which are known without reading it. */
export function wholeLength(userIds: Param) {
  return sql`octet_length(e.body) + case when e.texts is null then 0 else (
      select sum(octet_length(t.json) - 1) from unnest(e.texts) r (hash)
      join event_texts t on t.user_id = any(${userIds}::text[]) and t.user_id = e.user_id and t.session_id = e.session_id and t.hash = r.hash
    ) end`
}
