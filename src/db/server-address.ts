import type pg from 'pg'
import { OperatorError } from '../core/operator-error.ts'
import { withClient } from './client.ts'
import { DROPS_OPTIONS, SHARES_CONNECTIONS, serverAt } from './explain.ts'
import { SERVER_SETTINGS, type ServerAddress } from './settings.ts'

/** Settings that a connection over a Unix socket does not have. */
const OF_TCP = /^tcp_/

const READ = 'select name, current_setting(name, true) as value from unnest($1::text[]) name'

/** The schema of pgvector, if the search path finds neither it nor `public` as the schema of new tables. */
const PATH = `
  select current_schema() is not distinct from 'public' and (n.nspname is null or to_regtype('vector') is not null) as usable,
    concat_ws(', ', 'public', nullif(quote_ident(n.nspname), 'public')) as path
  from (values (1)) one left join pg_extension e on e.extname = 'vector' left join pg_namespace n on n.oid = e.extnamespace`

/**
 * Reads back the settings that every connection sends, and finds the search path to send with them if the role's own does not serve.
 * Throws an OperatorError if a pooler drops the settings or shares a connection between clients: times would be wrong, statements
 * would run without end, and prepared statements would be missing.
 */
export async function findAddress(connectionString: string): Promise<ServerAddress> {
  return await withClient({ connectionString }, SERVER_SETTINGS, async client => {
    const differences = await listDifferences(client)
    if (differences.length > 0)
      throw new OperatorError(
        `${serverAt(client)} ignores the settings of a connection: ${differences.join(', ')}; ${DROPS_OPTIONS}`
      )
    if (await sharesConnections(client, connectionString))
      throw new OperatorError(`${serverAt(client)} lets clients share a connection; ${SHARES_CONNECTIONS}`)
    const { rows } = await client.query<{ usable: boolean; path: string }>(PATH)
    const [found] = rows
    return { connectionString, ...(found && !found.usable && { searchPath: found.path }) }
  })
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
async function sharesConnections(client: pg.Client, connectionString: string) {
  const processId = await findProcessId(client)
  if ('processID' in client && client.processID === processId) return false
  const other = await withClient({ connectionString }, SERVER_SETTINGS, findProcessId)
  return other === processId
}

async function findProcessId(client: pg.Client) {
  return (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
}
