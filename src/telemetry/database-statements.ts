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

/** webhook_queue holds the due time of each webhook, so that finding the oldest does not read the deliveries. */
export const DELIVERIES = `
  select
    (select count(*) from webhook_deliveries where claim_id is null) as waiting,
    (select count(*) from webhook_deliveries where claim_id is not null) as sending,
    (select greatest(0, extract(epoch from $1::timestamptz - min(greatest(q.next_due, q.paused_until)))::float8)
      from webhook_queue q join webhooks w on w.user_id = q.user_id and w.webhook_id = q.webhook_id
      where w.active and q.next_due <= $1 and (q.paused_until > $1) is not true) as oldest`

/** Completed jobs are left out, because they are many and show nothing. */
export const JOBS = `select name as queue, state::text as state, count(*) as jobs from pgboss.job where state <> 'completed' group by 1, 2`

/** Sessions without embeddings of the current model, as after a change of model, judged by their first passage. */
export const EMBEDDINGS = `
  select count(*) as sessions from passages p
  where $1::text is not null and p.ordinal = 0 and not exists (
    select from embeddings e
    where e.user_id = p.user_id and e.model = $1 and e.session_id = p.session_id and e.ordinal = p.ordinal)`
