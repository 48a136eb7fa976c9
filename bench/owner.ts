import { databaseUrl, recreateDatabase, withClient } from './database.ts'
import { createUser, runCommand } from './import.ts'
import { type Running, startProduct } from './server.ts'

/** A server on a database of its own, and a user whose token may do everything. */
export interface Owner {
  server: Running
  token: string
  databaseUrl: string
  /** Sends a request of the user, and throws unless it is carried out. */
  ask<T = { id: string; status: string }>(method: string, path: string, body?: object): Promise<T>
}

/** Starts a server on an empty database of that name, with a user. */
export async function startWithOwner(database: string): Promise<Owner> {
  await recreateDatabase(database)
  const where = { DATABASE_URL: databaseUrl(database) }
  // The first start creates the tables, which the commands need.
  await (await startProduct(where)).stop()
  await createUser(where)
  const ofUser = ['--user', 'bench@example.com']
  const words = ['token', 'create', ...ofUser, '--name', 'bench', '--scopes', 'all', '--json']
  const { token } = JSON.parse(await runCommand(where, ...words))
  const server = await startProduct(where)
  return {
    server,
    token,
    databaseUrl: where.DATABASE_URL,
    async ask(method, path, body) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'if-match': '*' }
      const reply = await fetch(`${server.url}/v1${path}`, {
        method,
        ...(body ? { headers, body: JSON.stringify(body) } : { headers: { authorization: headers.authorization } })
      })
      if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
      return JSON.parse(await reply.text())
    }
  }
}

export async function pause(ms: number) {
  await new Promise(wake => setTimeout(wake, ms))
}

const UNDONE = `select count(*)::int as undone from pgboss.job where state in ('created', 'retry', 'active') and name = any($1)`

/** Waits until the jobs of these queues are done. */
export async function untilDone(databaseUrl: string, ...queues: string[]) {
  await withClient(databaseUrl, async client => {
    while ((await client.query(UNDONE, [queues])).rows[0].undone > 0) await pause(200)
  })
}
