import type pg from 'pg'
import { drizzle } from './drizzle.ts'
import { isUnavailable } from './faults.ts'
import type { Db } from './open.ts'
import { PipelinedClient } from './pipelined-client.ts'
import * as schema from './schema/index.ts'

/**
 * Transactions on connections of the pool, each given back whatever happens. Those of drizzle 0.45 keep the connection
 * when their `begin` fails; when the database has cut the pool's connections often enough, none would be left.
 */
export function transactionsOf(pool: pg.Pool): Db['transaction'] {
  const sessions = new WeakMap<pg.PoolClient, Db>()
  const nameOf = openNames()

  function sessionOf(client: pg.PoolClient) {
    const session = sessions.get(client) ?? drizzle({ client: preparing(client, nameOf), schema, casing: 'snake_case' })
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

/**
 * Reading and planning a change takes the database longer than making it: what is asked often is prepared once a connection. And `begin` is not
 * waited for, but sent with the first statement; without a transaction none of the statements has an answer.
 */
function preparing(client: pg.PoolClient, nameOf: (text: string) => string | undefined): pg.PoolClient {
  let begun: Promise<unknown> | undefined
  const query = async (config: pg.QueryConfig, values: unknown[]) => {
    if (client instanceof PipelinedClient) client.gather()
    if (config.text.startsWith('begin')) {
      const answer = client.query(`${config.text}; ${USE_INDEXES}`)
      begun = answer
      answer.catch(() => {})
      return { rows: [] }
    }
    const answer = client.query(values.length > 0 ? { ...config, name: config.name ?? nameOf(config.text) } : config, values)
    const [result] = await Promise.all([answer, begun])
    return result
  }
  return Object.assign(Object.create(client), { query })
}

/**
 * Connections cache plans. A plan made while a table was nearly empty may read the whole table for each row, however large it is by now, and
 * nothing replaces that plan before the table is next analyzed.
 */
const USE_INDEXES = 'set local enable_seqscan = off'

/** Statements whose text depends on how much they are given are many, and each is asked seldom. */
const OFTEN = 10
const MOST_NAMES = 200
const MOST_COUNTED = 2_000

/** Names for the statements that are asked often, by their text. */
function openNames() {
  const names = new Map<string, string>()
  let counts = new Map<string, number>()

  return (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MOST_NAMES) return known
    const count = (counts.get(text) ?? 0) + 1
    if (counts.size >= MOST_COUNTED) counts = new Map()
    counts.set(text, count)
    if (count < OFTEN) return undefined
    counts.delete(text)
    names.set(text, `often_${names.size}`)
    return names.get(text)
  }
}
