import type { EventEmitter } from 'node:events'
import type pg from 'pg'
import type { Db, Topic } from './database.ts'
import { drizzle, type SQL, sql } from './drizzle.ts'
import { isUnavailable } from './errors.ts'
import { type StatementNames, toQuery } from './statements.ts'
import { DatabaseUnavailable } from './unavailable.ts'

interface TransactionOptions {
  commits: EventEmitter
  nameOf: StatementNames
  /** The number of callers that may wait for a connection; the next one is refused at once. */
  maxWaiting: number
}

/**
 * Runs transactions, each on a connection of the pool that always goes back to it. The transactions of drizzle 0.45 keep the connection when
 * their `begin` fails, until the pool has none left.
 */
export function openTransactions(
  pool: pg.Pool,
  { commits, nameOf, maxWaiting }: TransactionOptions
): Db['transaction'] {
  // Making a session takes as long as several statements.
  const sessions = new WeakMap<pg.PoolClient, ReturnType<typeof openSession>>()
  const openSession = (client: pg.PoolClient) => drizzle({ client: preparing(client, nameOf), casing: 'snake_case' })

  // drizzle's own builder takes several times as long for the text of a statement.
  const executeOn = (client: pg.PoolClient) => (statement: SQL | string) =>
    client.query(toQuery(typeof statement === 'string' ? sql.raw(statement) : statement, nameOf))

  return async run => {
    if (pool.waitingCount >= maxWaiting) throw new DatabaseUnavailable('pool_full')
    const client = await pool.connect()
    const changes: Change[] = []
    let lost = false
    try {
      const session = sessions.get(client) ?? openSession(client)
      sessions.set(client, session)
      const result = await session.transaction(tx =>
        run(toDb(Object.assign(tx, { execute: executeOn(client) }), changes))
      )
      for (const { topic, userId } of changes) commits.emit(topic, userId)
      return result
    } catch (error) {
      // It is unknown whether the transaction was rolled back, so the connection is closed.
      lost = isUnavailable(error)
      throw error
    } finally {
      client.release(lost)
    }
  }
}

interface Change {
  topic: Topic
  userId: string
}

type Transaction = Parameters<Parameters<ReturnType<typeof drizzle>['transaction']>[0]>[0]

/** The transaction as query functions see it. A transaction within it is a savepoint. */
function toDb(tx: Transaction, changes: Change[]): Db {
  const { execute, transaction } = tx
  return Object.assign(tx, {
    afterCommit: (topic: Topic, userId: string) => void changes.push({ topic, userId }),
    transaction: <T>(run: (inner: Db) => Promise<T>) =>
      transaction.call(tx, inner => run(toDb(Object.assign(inner, { execute }), changes))) as Promise<T>
  })
}

/** The client, with a name for every statement that is sent often. */
function preparing(client: pg.PoolClient, nameOf: StatementNames): pg.PoolClient {
  const query = (config: pg.QueryConfig, values: unknown[]) =>
    client.query(values.length > 0 ? { ...config, name: nameOf(config.text) } : config, values)
  return Object.assign(Object.create(client), { query })
}
