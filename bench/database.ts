import pg from 'pg'

/** The address of a database beside the one that DATABASE_URL names. */
export function databaseUrl(name: string) {
  const given = process.env.DATABASE_URL
  if (!given) {
    throw new Error('Set DATABASE_URL to a PostgreSQL with pgvector on this machine, of a user who may create databases and extensions')
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

/** Makes the database anew, empty. */
export async function recreateDatabase(name: string) {
  await onServer(async client => {
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name}`)
  })
}

/** What `label` last said of the database; undefined where there is none. */
export async function findLabel(name: string): Promise<string | undefined> {
  const { rows } = await onServer(client =>
    client.query("select shobj_description(oid, 'pg_database') as label from pg_database where datname = $1", [name])
  )
  return rows[0]?.label
}

export async function labelDatabase(name: string, label: string) {
  await onServer(client => client.query(`comment on database ${name} is ${pg.escapeLiteral(label)}`))
}

/** Of the server, and of the pgvector it would make. */
export async function databaseVersions(): Promise<{ postgres: string; pgvector: string }> {
  const { rows } = await onServer(client =>
    client.query(`select current_setting('server_version') as postgres,
      coalesce((select default_version from pg_available_extensions where name = 'vector'), 'none') as pgvector`)
  )
  return rows[0]
}

/** Runs something in the database that DATABASE_URL itself names, where nothing is ever written. */
function onServer<T>(use: (client: pg.Client) => Promise<T>) {
  databaseUrl('any')
  return withClient(process.env.DATABASE_URL ?? '', use)
}
