import pg from 'pg'
import { type DatabaseSetting, explain } from './explain.ts'
import { connectionTo, KEEP_ALIVE, type ServerAddress } from './settings.ts'

/** The location of the database: on a server, or an embedded one's folder and that of its socket. */
export type Address = ServerAddress | { socketDir: string; dataDir: string }

/** Runs `use` on a connection of its own. A server's refusal is thrown as an OperatorError that says what to do. */
export async function withClient<T>(
  address: Address,
  settings: Record<string, string>,
  use: (client: pg.Client) => Promise<T>,
  setting: DatabaseSetting = 'DATABASE_URL'
) {
  let connected = false
  const client = new pg.Client({
    ...('socketDir' in address
      ? { host: address.socketDir, user: 'postgres', database: 'postgres' }
      : { ...connectionTo(address, settings), ...KEEP_ALIVE, connectionTimeoutMillis: 5_000 }),
    application_name: 'parlance migrate'
  })
  // Without a listener, a connection that breaks ends the process; the current statement fails in any case.
  client.on('error', () => {})
  try {
    await client.connect()
    connected = true
    return await use(client)
  } catch (error) {
    throw 'socketDir' in address ? error : explain(error, Object.assign(client, { setting }), connected)
  } finally {
    await client.end().catch(() => {})
  }
}
