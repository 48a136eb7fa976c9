import type { EventEmitter } from 'node:events'
import type pg from 'pg'
import type { BeforeCommit, Db, Topic } from './database.ts'
import { drizzle, type SQL, sql } from './drizzle.ts'
import { isUnavailable } from './errors.ts'
import { openLockOrder } from './locks.ts'
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
    const pending: Pending = { changes: [], steps: [] }
    const willLock = openLockOrder()
    let lost = false
    try {
      const session = sessions.get(client) ?? openSession(client)
      sessions.set(client, session)
      const result = await session.transaction(async inner => {
        const tx = toDb(Object.assign(inner, { execute: executeOn(client) }), pending, willLock)
        const returned = await run(tx)
        // A step may add another one, which the loop reaches too.
        for (const step of pending.steps) await step(tx)
        return returned
      })
      for (const { topic, userId } of pending.changes) commits.emit(topic, userId)
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

/** The consequences of a transaction, in the order in which its statements added them. */
interface Pending {
  /** Announced after the commit. */
  changes: { topic: Topic; userId: string }[]
  /** Run before it. */
  steps: BeforeCommit[]
}

type Transaction = Parameters<Parameters<ReturnType<typeof drizzle>['transaction']>[0]>[0]

/** The transaction as query functions see it. A transaction within it is a savepoint: what is rolled back to it has no consequences. */
function toDb(tx: Transaction, pending: Pending, willLock: Db['willLock']): Db {
  const { execute, transaction } = tx
  return Object.assign(tx, {
    afterCommit: (topic: Topic, userId: string) => void pending.changes.push({ topic, userId }),
    beforeCommit: (step: BeforeCommit) => void pending.steps.push(step),
    willLock,
    transaction: async <T>(run: (inner: Db) => Promise<T>) => {
      const added: Pending = { changes: [], steps: [] }
      const result = await transaction.call(tx, inner => run(toDb(Object.assign(inner, { execute }), added, willLock)))
      pending.changes.push(...added.changes)
      pending.steps.push(...added.steps)
      return result as T
    }
  })
}

/** The client, with a name for every statement that is sent often. */
function preparing(client: pg.PoolClient, nameOf: StatementNames): pg.PoolClient {
  const query = (config: pg.QueryConfig, values: unknown[]) =>
    client.query(values.length > 0 ? { ...config, name: nameOf(config.text) } : config, values)
  return Object.assign(Object.create(client), { query })
}
