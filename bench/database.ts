import pg from 'pg'

/** Returns the address of a database beside the one that DATABASE_URL names. */
export function databaseUrl(name: string) {
  const given = process.env.DATABASE_URL
  if (!given) {
    throw new Error(
      'Set DATABASE_URL to a PostgreSQL with pgvector on this machine, of a user who may create databases and extensions'
    )
  }
  const url = new URL(given)
  url.pathname = `/${name}`
  return url.href
}

export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({ connectionString: url, application_name: 'parlance bench' })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Creates the database, or replaces it by an empty one. */
export async function recreateDatabase(name: string) {
  await onServer(client => recreate(client, name))
}

async function recreate(client: pg.Client, name: string) {
  await client.query(`drop database if exists ${name} with (force)`)
  await client.query(`create database ${name}`)
}

/** The settings that decide the cost of a commit and of a read. */
const COMPARED = `select string_agg(name || ' = ' || setting, ', ' order by name) from pg_settings
  where name in ('fsync', 'full_page_writes', 'shared_buffers', 'synchronous_commit', 'wal_level')`

/**
 * Makes two empty databases: one on every node of the Citus cluster, and one on the coordinator's server alone, which has the same
 * settings. Returns their addresses. Throws if a node has other settings.
 */
export async function recreateOnCluster({ cluster: name, one }: { cluster: string; one: string }) {
  const given = process.env.CITUS_URL
  if (!given)
    throw new Error(
      'Set CITUS_URL to a database of the coordinator that knows its nodes, of a superuser of all of them'
    )
  const at = (host: string, port: number | string, database: string) =>
    Object.assign(new URL(given), { hostname: host, port: String(port), pathname: `/${database}` }).href
  const { rows: nodes } = await withClient(given, client =>
    client.query(
      `select nodename, nodeport, groupid from pg_dist_node where isactive and noderole = 'primary' order by groupid`
    )
  )
  const { rows: settings } = await withClient(given, client =>
    client.query('select distinct result from run_command_on_all_nodes($1)', [COMPARED])
  )
  if (settings.length !== 1)
    throw new Error(`The nodes have different settings:\n${settings.map(({ result }) => result).join('\n')}`)
  const { hostname, port } = new URL(given)
  const coordinator = at(hostname, port, name)
  await withClient(given, client => recreate(client, one))
  for (const { nodename, nodeport, groupid } of nodes) {
    await withClient(at(nodename, nodeport, 'postgres'), client => recreate(client, name))
    await withClient(at(nodename, nodeport, name), client => client.query('create extension citus'))
    const join = groupid === 0 ? 'citus_set_coordinator_host' : 'citus_add_node'
    await withClient(coordinator, client => client.query(`select ${join}('${nodename}', ${nodeport})`))
  }
  return { cluster: coordinator, one: at(hostname, port, one) }
}

/** Returns the last label of the database. Undefined without one. */
export async function findLabel(name: string): Promise<string | undefined> {
  const { rows } = await onServer(client =>
    client.query("select shobj_description(oid, 'pg_database') as label from pg_database where datname = $1", [name])
  )
  return rows[0]?.label
}

export async function labelDatabase(name: string, label: string) {
  await onServer(client => client.query(`comment on database ${name} is ${pg.escapeLiteral(label)}`))
}

/** Returns the versions of the server and of the pgvector that it would install. */
export async function databaseVersions(): Promise<{ postgres: string; pgvector: string }> {
  const { rows } = await onServer(client =>
    client.query(`select current_setting('server_version') as postgres,
      coalesce((select default_version from pg_available_extensions where name = 'vector'), 'none') as pgvector`)
  )
  return rows[0]
}

/** Runs statements in the database that DATABASE_URL names. They never write there. */
function onServer<T>(use: (client: pg.Client) => Promise<T>) {
  databaseUrl('any')
  return withClient(process.env.DATABASE_URL ?? '', use)
}
