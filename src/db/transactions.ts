import type pg from 'pg'
import { drizzle } from './drizzle.ts'
import { isUnavailable } from './faults.ts'
import type { Db } from './open.ts'
import * as schema from './schema/index.ts'

/**
 * Transactions on connections of the pool, each given back whatever happens. Those of drizzle 0.45 keep the connection
 * when their `begin` fails; when the database has cut the pool's connections often enough, none would be left.
 */
export function transactionsOf(pool: pg.Pool): Db['transaction'] {
  const sessions = new WeakMap<pg.PoolClient, Db>()

  function sessionOf(client: pg.PoolClient) {
    const session = sessions.get(client) ?? drizzle({ client, schema, casing: 'snake_case' })
    sessions.set(client, session)
    return session
  }

  return async (run, config) => {
    const client = await pool.connect()
    let lost = false
    try {
      return await sessionOf(client).transaction(run, config)
    } catch (fault) {
      // Nobody knows whether it was rolled back, so nobody else may have it.
      lost = isUnavailable(fault)
      throw fault
    } finally {
      client.release(lost)
    }
  }
}
