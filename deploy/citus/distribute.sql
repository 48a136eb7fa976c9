-- Spreads the tables of a migrated, still empty database over the nodes of a Citus cluster, by owner.
-- Run it once, on the coordinator, after `parlance migrate` and before the first user: psql "$DATABASE_URL" -1 -f distribute.sql
-- What is proven of it and what is not: deploy/citus/README.md

\set ON_ERROR_STOP on

-- Keys between tables can only be there while both ends are spread alike, so they are put aside meanwhile.
create temporary table aside on commit drop as
select conrelid::regclass::text as table_name, conname, pg_get_constraintdef(oid) as definition
from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace;

do $$
declare one record;
begin
  for one in select * from aside loop
    execute format('alter table %s drop constraint %I', one.table_name, one.conname);
  end loop;
end $$;

-- Small, read with every request that names no owner, and therefore whole on every node: what leads from a secret to its owner, and what a changed SECRET_KEY is noticed by.
select create_reference_table('secret_key_checks');
select create_reference_table('share_secrets');
select create_reference_table('token_owners');
select create_reference_table('user_emails');

-- All that belongs to an owner is on the node of that owner.
select create_distributed_table('users', 'user_id');
select create_distributed_table(name, 'user_id', colocate_with => 'users')
from unnest(array[
  'chunks',
  'deletions',
  'embeddings',
  'events',
  'folder_sessions',
  'folders',
  'idempotency_keys',
  'media',
  'people',
  'search_documents',
  'search_terms',
  'search_totals',
  'session_changes',
  'session_days',
  'session_people',
  'session_shares',
  'session_tags',
  'sessions',
  'share_counters',
  'share_grants',
  'share_invites',
  'share_links',
  'token_cursors',
  'tokens',
  'transcripts',
  'unknown_speakers',
  'user_counters',
  'vector_indexes',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_queue',
  'webhooks'
]) as name;

-- What others share with somebody is on the node of whom it is shared with.
select create_distributed_table('shared_with', 'recipient_id', colocate_with => 'users');

-- Not spread, on the coordinator alone: rate_counters and rate_days, which a request must not wait for another node for; the
-- queue of jobs (schema pgboss); the list of migrations (schema drizzle).

do $$
declare one record;
begin
  for one in select * from aside loop
    execute format('alter table %s add constraint %I %s', one.table_name, one.conname, one.definition);
  end loop;
end $$;
