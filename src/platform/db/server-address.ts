import type pg from 'pg'
import { OperatorError } from '../core/operator-error.ts'
import { withClient } from './client.ts'
import { type DatabaseSetting, dropsOptions, SettingsIgnored, serverAt, sharesConnections } from './explain.ts'
import { UNFINISHED, UNFINISHED_MOVE } from './move/unfinished.ts'
import { SERVER_SETTINGS, type ServerAddress } from './settings.ts'

/** Settings that a connection over a Unix socket does not have. */
const OF_TCP = /^tcp_/

const READ = 'select name, current_setting(name, true) as value from unnest($1::text[]) name'

/** The schema of pgvector, if the search path finds neither it nor `public` as the schema of new tables. */
const PATH = `
  select current_schema() is not distinct from 'public' and (n.nspname is null or to_regtype('vector') is not null) as usable,
    concat_ws(', ', 'public', nullif(quote_ident(n.nspname), 'public')) as path, to_regclass('${UNFINISHED}') is not null as unfinished
  from (values (1)) one left join pg_extension e on e.extname = 'vector' left join pg_namespace n on n.oid = e.extnamespace`

/**
 * Finds the search path to send with the settings of a connection, if the role's own does not serve. Requires the settings, and refuses the target of a
 * move that did not finish, unless the caller is a move.
 */
export async function findAddress(connectionString: string, { moving = false } = {}): Promise<ServerAddress> {
  const setting = moving ? '--to' : 'DATABASE_URL'
  const find = async (client: pg.Client): Promise<ServerAddress> => {
    await requireSettings(client, connectionString, setting)
    const { rows } = await client.query<{ usable: boolean; path: string; unfinished: boolean }>(PATH)
    const [found] = rows
    if (found?.unfinished && !moving) throw new OperatorError(UNFINISHED_MOVE)
    return { connectionString, ...(found && !found.usable && { searchPath: found.path }) }
  }
  return await withClient({ connectionString }, SERVER_SETTINGS, find, setting)
}

/** Throws a SettingsIgnored if the replica does not keep the settings of a connection. An unreachable one is another error. */
export async function requireReplicaSettings(connectionString: string) {
  const setting = 'DATABASE_REPLICA_URL'
  const require = (client: pg.Client) => requireSettings(client, connectionString, setting)
  await withClient({ connectionString }, SERVER_SETTINGS, require, setting)
}

/**
 * Reads back the settings that every connection sends. Throws if a pooler drops them or shares a connection between clients: times would
 * be wrong, statements would run without end, and prepared statements would be missing.
 */
async function requireSettings(client: pg.Client, connectionString: string, setting: DatabaseSetting) {
  const differences = await listDifferences(client)
  if (differences.length > 0)
    throw new SettingsIgnored(
      `${serverAt(client)} ignores the settings of a connection: ${differences.join(', ')}; ${dropsOptions(setting)}`
    )
  if (await isShared(client, connectionString))
    throw new SettingsIgnored(`${serverAt(client)} lets clients share a connection; ${sharesConnections(setting)}`)
}

/** The settings that the connection sent and does not have, in words. */
async function listDifferences(client: pg.Client) {
  const sent = Object.entries(SERVER_SETTINGS).filter(([name]) => !OF_TCP.test(name))
  const { rows } = await client.query<{ name: string; value: string | null }>(READ, [sent.map(([name]) => name)])
  const found = new Map(rows.map(({ name, value }) => [name, value]))
  return sent.flatMap(([name, value]) => {
    const has = found.get(name)
    return has === value ? [] : [`${name} is ${has || 'not set'} and should be ${value}`]
  })
}

/** A pooler gives a client an invented process id at its start. If it shares connections, another client gets the idle one. */
async function isShared(client: pg.Client, connectionString: string) {
  const processId = await findProcessId(client)
  if ('processID' in client && client.processID === processId) return false
  const other = await withClient({ connectionString }, SERVER_SETTINGS, findProcessId)
  return other === processId
}

async function findProcessId(client: pg.Client) {
  return (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
}
