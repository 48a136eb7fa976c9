import type pg from 'pg'
import { OperatorError } from '../core/operator-error.ts'
import { escapeIdentifier, escapeLiteral } from './literal.ts'
import { LOCK_SETTINGS, SEARCH_SETTINGS } from './settings.ts'

/** Tables that are whole on every node, because requests read them before they know the owner. */
export const REFERENCE_TABLES = ['secret_key_checks', 'share_secrets', 'token_owners', 'user_emails', 'user_identities']
/**
 * Tables on the coordinator only. Every request counts itself there, and must not wait for another node. A link to sign in, a
 * client of OAuth and its assertions have no owner.
 */
export const LOCAL_TABLES = ['oauth_assertions', 'oauth_clients', 'rate_counters', 'rate_days', 'sign_in_links']

/** The number of shards that owners are distributed over. A cluster can use at most as many workers. */
export const DEFAULT_SHARDS = 32

/**
 * A connection's settings end at the coordinator, so the workers get them from the role. The coordinator's statement
 * timeout also ends a worker's statement, and a worker notices the loss of its coordinator by the check of its connection.
 */
const WORKER_SETTINGS = { ...LOCK_SETTINGS, ...SEARCH_SETTINGS, client_connection_check_interval: '2s' }

const NODES = `
  select count(*) filter (where groupid = 0)::int as coordinators, count(*) filter (where shouldhaveshards)::int as workers,
    (select groupid <> 0 from pg_dist_local_group) as "isWorker"
  from pg_dist_node where isactive and noderole = 'primary'`

/** The owner leads the primary key of every table. Citus distributes the referenced tables first. */
const UNDISTRIBUTED = `
  with recursive depth as (
    select oid, 0 as level from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    union all
    select k.conrelid, level + 1 from depth join pg_constraint k on k.contype = 'f' and k.confrelid = depth.oid and k.conrelid <> k.confrelid
  )
  select c.relname as name, a.attname as owner
  from depth join pg_class c using (oid)
  join pg_index i on i.indrelid = c.oid and i.indisprimary
  join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
  where c.relname <> all($1) and c.oid not in (select logicalrelid from pg_dist_partition)
  group by 1, 2 order by c.relname <> 'users', max(level), 1`

/** Returns whether the tables of this database are distributed over the nodes of a Citus cluster. */
export async function isDistributed(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query(
    "select to_regclass('pg_dist_partition') is not null and to_regclass('users') is not null as possible"
  )
  if (!rows[0]?.possible) return false
  return (await client.query("select from pg_dist_partition where logicalrelid = 'users'::regclass")).rows.length > 0
}

/** Returns the tables that are not distributed yet, in the order of distribution. Throws an OperatorError without a cluster. */
export async function listUndistributed(client: pg.ClientBase): Promise<{ name: string; owner: string }[]> {
  await requireCluster(client)
  return (await client.query(UNDISTRIBUTED, [LOCAL_TABLES])).rows
}

/**
 * Distributes the tables that are not distributed yet, with their rows, and gives the workers their settings, in the transaction of the caller. A
 * row is on the node of its owner. Returns the names of those tables. Throws an OperatorError without a cluster.
 */
export async function distributeTables(client: pg.ClientBase, shards = DEFAULT_SHARDS): Promise<string[]> {
  const tables = await listUndistributed(client)
  for (const { name, owner } of tables) {
    if (REFERENCE_TABLES.includes(name)) await client.query('select create_reference_table($1)', [name])
    else if (name === 'users')
      await client.query('select create_distributed_table($1, $2, shard_count => $3)', [name, owner, shards])
    else await client.query("select create_distributed_table($1, $2, colocate_with => 'users')", [name, owner])
  }
  // The rows are on the workers now; a copy left here would outlive their deletion.
  for (const { name } of tables.toReversed())
    await client.query('select truncate_local_data_after_distributing_table($1)', [name])
  await setOnWorkers(client)
  return tables.map(({ name }) => name)
}

/** Settings of the role in this database, which Citus sets on every node. */
async function setOnWorkers(client: pg.ClientBase) {
  const { rows } = await client.query<{ database: string; set: string[] }>(`
    select current_database() as database, coalesce((select setconfig from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
      where d.datname = current_database() and s.setrole = current_user::regrole), '{}') as set`)
  const { database = '', set = [] } = rows[0] ?? {}
  for (const [name, value] of Object.entries(WORKER_SETTINGS)) {
    if (set.includes(`${name}=${value}`)) continue
    await client.query(
      `alter role current_user in database ${escapeIdentifier(database)} set ${name} = ${escapeLiteral(value)}`
    )
  }
}

async function requireCluster(client: pg.ClientBase) {
  const { rows: extension } = await client.query("select from pg_extension where extname = 'citus'")
  if (extension.length === 0)
    throw new OperatorError('The database is not on a Citus cluster: it lacks the extension citus')
  const { rows } = await client.query<{ coordinators: number; workers: number; isWorker: boolean }>(NODES)
  const [{ coordinators = 0, workers = 0, isWorker = false } = {}] = rows
  if (isWorker) throw new OperatorError('DATABASE_URL names a worker; name the coordinator of the cluster')
  if (coordinators === 0)
    throw new OperatorError(
      "The cluster does not know its coordinator; run there: select citus_set_coordinator_host('HOST')"
    )
  if (workers === 0)
    throw new OperatorError("The cluster has no worker; run on the coordinator: select citus_add_node('HOST', 5432)")
}
