import type { EventEmitter } from 'node:events'
import type pg from 'pg'
import type { BeforeCommit, Build, Db, Topic } from './database.ts'
import { drizzle, type SQL, sql } from './drizzle.ts'
import { isUnavailable } from './errors.ts'
import { openLockOrder } from './locks.ts'
import { type StatementNames, toQuery } from './statements.ts'
import { openTurns } from './turns.ts'
import { DatabaseUnavailable } from './unavailable.ts'

interface TransactionOptions {
  commits: EventEmitter
  nameOf: StatementNames
  /** The number of callers that may wait for a connection; the next one is refused at once. */
  maxWaiting: number
  /** The number of callers of one owner that may wait. */
  maxWaitingOfOwner: number
}

/**
 * Runs transactions, each on a connection of the pool that always goes back to it. The transactions of drizzle 0.45 keep the connection when
 * their `begin` fails, until the pool has none left.
 */
export function openTransactions(
  pool: pg.Pool,
  { commits, nameOf, maxWaiting, maxWaitingOfOwner }: TransactionOptions
): Db['transaction'] {
  // Making a session takes as long as several statements.
  const sessions = new WeakMap<pg.PoolClient, ReturnType<typeof openSession>>()

  function openSession(client: pg.PoolClient) {
    const sender = openSender(client)
    // drizzle's own builder takes several times as long for the text of a statement.
    const execute = (statement: SQL | string) =>
      sender.query(toQuery(typeof statement === 'string' ? sql.raw(statement) : statement, nameOf))
    const builder = drizzle({ client: preparing(sender, nameOf), casing: 'snake_case' })
    return { builder, execute, prepared: openPrepared(builder) }
  }

  const inTurn = openTurns()
  const waiting = new Map<string, number>()
  return async (run, { turn, owner } = {}) => await inTurn(turn, () => runOnce(run, owner))

  async function connect(owner: string | undefined) {
    if (pool.waitingCount >= maxWaiting) throw new DatabaseUnavailable('pool_full')
    if (owner === undefined) return await pool.connect()
    const others = waiting.get(owner) ?? 0
    // The pool hands out a free connection only after this turn of the loop, so callers that are about to get one wait too.
    const free = pool.idleCount + pool.options.max - pool.totalCount
    if (others >= maxWaitingOfOwner + free) throw new DatabaseUnavailable('owner_full')
    waiting.set(owner, others + 1)
    try {
      return await pool.connect()
    } finally {
      const left = (waiting.get(owner) ?? 1) - 1
      if (left > 0) waiting.set(owner, left)
      else waiting.delete(owner)
    }
  }

  async function runOnce<T>(run: (tx: Db) => Promise<T>, owner: string | undefined): Promise<T> {
    const client = await connect(owner)
    const pending: Pending = { changes: [], steps: [] }
    const willLock = openLockOrder()
    let lost = false
    try {
      const session = sessions.get(client) ?? openSession(client)
      sessions.set(client, session)
      const result = await session.builder.transaction(async inner => {
        const { execute, prepared } = session
        const tx = toDb(Object.assign(inner, { execute }), { pending, willLock, prepared })
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

/** Keeps the statements that `prepared` has built. */
export function openPrepared(builder: Parameters<Build<unknown>>[0]): Db['prepared'] {
  const built = new Map<Build<unknown>, ReturnType<Build<unknown>>>()
  return async <Result>(build: Build<Result>, values: Record<string, unknown>) => {
    const statement = built.get(build) ?? build(builder)
    built.set(build, statement)
    return (await statement.execute(values)) as Result
  }
}

type Transaction = Parameters<Parameters<ReturnType<typeof drizzle>['transaction']>[0]>[0]

/** The transaction as query functions see it. A transaction within it is a savepoint: what is rolled back to it has no consequences. */
function toDb(tx: Transaction, { pending, ...shared }: { pending: Pending } & Pick<Db, 'willLock' | 'prepared'>): Db {
  const { execute, transaction } = tx
  const db: Db = Object.assign(tx, shared, {
    ofOwner: () => db,
    afterCommit: (topic: Topic, userId: string) => void pending.changes.push({ topic, userId }),
    beforeCommit: (step: BeforeCommit) => void pending.steps.push(step),
    transaction: async <T>(run: (inner: Db) => Promise<T>) => {
      const added: Pending = { changes: [], steps: [] }
      const result = await transaction.call(tx, inner =>
        run(toDb(Object.assign(inner, { execute }), { pending: added, ...shared }))
      )
      pending.changes.push(...added.changes)
      pending.steps.push(...added.steps)
      return result as T
    }
  })
  return db
}

/**
 * The client, whose `begin` is not waited for: a statement that only reads or locks is sent with it, which saves a round trip. Any other waits
 * until the transaction has begun, because it would be committed by itself.
 */
function openSender(client: pg.PoolClient): pg.PoolClient {
  let begun: Promise<unknown> = Promise.resolve()
  const query = async (config: pg.QueryConfig, values?: unknown[]) => {
    if (config.text === 'begin') {
      begun = client.query(config)
      begun.catch(() => {})
      return { rows: [] }
    }
    if (!/^\s*select\b/.test(config.text)) await begun
    const [result] = await Promise.all([client.query(config, values), begun])
    return result
  }
  return Object.assign(Object.create(client), { query })
}

/** The client, with a name for every statement that is sent often. */
function preparing(client: pg.PoolClient, nameOf: StatementNames): pg.PoolClient {
  const query = (config: pg.QueryConfig, values: unknown[]) =>
    client.query(values.length > 0 ? { ...config, name: nameOf(config.text) } : config, values)
  return Object.assign(Object.create(client), { query })
}
