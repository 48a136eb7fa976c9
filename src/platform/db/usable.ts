import type pg from 'pg'
import { OperatorError } from '../core/operator-error.ts'

/** The oldest versions that the statements work with. */
const OLDEST = { postgres: 150_000, vector: [0, 8] } as const

export interface Versions {
  postgres: string
  vector: string
}

interface ServerFacts {
  postgres: string
  number: number
  encoding: string
  replica: boolean
  role: string
  database: string
  /** The versions of pgvector on the server and in the database. */
  offered: string | null
  installed: string | null
  /** The schema of pgvector, and whether the search path has it. */
  vector_schema: string
  vector_visible: boolean
  /** The schema in which a table is created: null if the role may not use `public`. */
  schema: string | null
  /** The owner of Parlance's tables, if the role may not act as that owner. */
  owner: string | null
}

const CATALOGUE = `
  select current_setting('server_version') as postgres, current_setting('server_version_num')::int as number,
    current_setting('server_encoding') as encoding, pg_is_in_recovery() as replica,
    quote_ident(current_user) as role, quote_ident(current_database()) as database, quote_ident(current_schema()) as schema,
    (select default_version from pg_available_extensions where name = 'vector') as offered,
    extension.version as installed, extension.schema as vector_schema, to_regtype('vector') is not null as vector_visible,
    (select quote_ident(pg_get_userbyid(c.relowner)) from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where (n.nspname, c.relname) in (('drizzle', '__drizzle_migrations'), ('public', 'rate_counters'), ('pgboss', 'job'))
       and not pg_has_role(c.relowner, 'usage') limit 1) as owner
  from (values (1)) one
  left join (select extversion as version, quote_ident(n.nspname) as schema
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace where extname = 'vector') extension on true`

/** Returns the versions of server and pgvector. Throws an OperatorError, with what to do, if a migration or a statement would fail. */
export async function requireUsable(client: pg.Client): Promise<Versions> {
  const { rows } = await client.query<ServerFacts>(CATALOGUE)
  const [found] = rows
  const vector = found?.installed ?? found?.offered ?? undefined
  const error = found && (errorOfServer(found) ?? errorOfVector(found, vector) ?? errorOfSchema(found))
  if (!found || !vector || error) throw new OperatorError(error)
  return { postgres: found.postgres, vector }
}

function errorOfServer({ postgres, number, encoding, replica, database }: ServerFacts) {
  if (number < OLDEST.postgres) return `PostgreSQL ${postgres} is too old; run 15 or newer`
  if (replica) return 'DATABASE_URL names a replica, which takes no changes; name the primary server'
  if (encoding === 'UTF8') return undefined
  return `The database ${database} has the encoding ${encoding}; create it with: template template0 encoding 'UTF8'`
}

function errorOfVector({ role, installed, vector_schema, vector_visible }: ServerFacts, vector: string | undefined) {
  const oldest = OLDEST.vector.join('.')
  if (vector === undefined)
    return `The database server does not have the extension pgvector; install ${oldest} or newer there`
  if (isOlder(vector)) {
    const update = installed === null ? '' : ', then run in the database: alter extension vector update'
    return `pgvector ${vector} is too old; install ${oldest} or newer on the database server${update}`
  }
  if (installed === null || vector_visible) return undefined
  return `pgvector is in the schema ${vector_schema}, which ${role} may not use; run: grant usage on schema ${vector_schema} to ${role}`
}

function errorOfSchema({ role, schema, owner }: ServerFacts) {
  if (schema === null)
    return `The role ${role} may not use the schema public; run: grant usage, create on schema public to ${role}`
  return owner === null
    ? undefined
    : `The tables belong to the role ${owner}, not to ${role}; name ${owner} in DATABASE_URL`
}

function isOlder(version: string) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < OLDEST.vector[0] || (major === OLDEST.vector[0] && minor < OLDEST.vector[1])
}

/** Tries what a migration does, and rolls it back. */
export async function tryRights(client: pg.Client) {
  await client.query('begin')
  await createVector(client)
  await client.query('create schema if not exists drizzle')
  await client.query('create table parlance_rights ()')
  await client.query('rollback')
}

/** Creates the extension where it is missing. A cluster refuses `if not exists` too to a role that does not own it. */
export async function createVector(client: pg.Client) {
  const { rows } = await client.query("select from pg_extension where extname = 'vector'")
  if (rows.length === 0) await client.query('create extension vector')
}
