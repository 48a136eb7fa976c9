/**
 * The largest lag of a token that has acknowledged something. Revoked and expired tokens do not count. A cursor above the newest event
 * counts as one at the beginning.
 */
export const FEED = `
  select coalesce(max(c.last_seq - case when t.seq <= c.last_seq then t.seq else 0 end), 0) as lag
  from token_cursors t
  join user_counters c on c.user_id = t.user_id
  join tokens k on k.user_id = t.user_id and k.token_id = t.token_id
  where k.revoked_at is null and k.expires_at > $1`

/** Sessions without embeddings of the current model, as after a change of model, judged by their first passage. */
export const EMBEDDINGS = `
  select count(*) as sessions from passages p
  where $1::text is not null and p.ordinal = 0 and not exists (
    select from embeddings e
    where e.user_id = p.user_id and e.model = $1 and e.session_id = p.session_id and e.ordinal = p.ordinal)`
