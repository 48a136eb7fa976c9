import { EventEmitter } from 'node:events'
import type pg from 'pg'
import { LIMITS } from '../../contract/limits.ts'
import type { Address } from './client.ts'
import type { Database, Db, Queryable, Topic } from './database.ts'
import { isDistributed } from './distribute.ts'
import { drizzle, type SQL } from './drizzle.ts'
import { type Engine, openEngine } from './embedded/engine.ts'
import { openPipelined, QUERY_TIMEOUT_MS } from './pipelined.ts'
import { preferReplica } from './replica.ts'
import { connectionTo, KEEP_ALIVE, SERVER_SETTINGS } from './settings.ts'
import { openStatementNames, toQuery } from './statements.ts'
import { openPrepared, openTransactions } from './transactions.ts'
import { driverTypes } from './types.ts'
import { classifyIdle, openClassifiedPool } from './unavailable.ts'

export type { Database, Db, Queryable, Topic } from './database.ts'

export interface OpenDatabase {
  db: Database
  /** A pool of its own for statements that take tens of milliseconds, so that requests do not wait for them: searches, exports, deliveries. */
  slow: Queryable & Pick<Db, 'transaction'>
  /** The read replica, or `slow` without one or while it does not answer. Its rows may be older than those of the others. */
  replica: Queryable
  pool: pg.Pool
  /** Emits the topics of the changes that this process has committed, with their owners. */
  commits: EventEmitter
  /** The connections and statements of this moment. */
  load(): DatabaseLoad
  address: Address
  /** Set if this process uses an embedded database. */
  engine?: Engine
  close(): Promise<void>
}

interface DatabaseLoad {
  pools: Record<'requests' | 'slow', { total: number; idle: number; waiting: number }>
  /** Statements on the pipelined connections that wait for their answer. */
  inFlight: number
}

export interface DatabaseOptions {
  /** A URL such as `postgres://…`; without it, the embedded database of `dataDir`. */
  url: string | undefined
  /** A read replica of it. */
  replicaUrl?: string | undefined
  /** The search path to send, if that of the role does not serve. */
  searchPath?: string | undefined
  dataDir: string
  /** True if another process may run the embedded database. */
  share: boolean
  /** The name of the connections in pg_stat_activity. */
  name: string
  poolSize?: number
  /** The transactions that may wait for a connection before the next one is refused. Default: any number, as for commands. */
  maxWaiting?: number
  /** Those of one owner that may wait. Default: any number. */
  maxWaitingOfOwner?: number
  onError: (error: Error) => void
}

/** A server refuses further transactions while this many wait for a connection, and those of an owner of whom so many wait. */
export const MAX_WAITING = { maxWaiting: LIMITS.waiting.total, maxWaitingOfOwner: LIMITS.waiting.perOwner }

/** Commands have no other users beside them. */
const UNLIMITED = { maxWaiting: Number.POSITIVE_INFINITY, maxWaitingOfOwner: Number.POSITIVE_INFINITY }

const CONNECTION_TIMEOUT_MS = 5_000
/** Longer than a server's: the embedded engine ends a statement by a restart, which closes every connection. */
const EMBEDDED_STATEMENT_TIMEOUT_MS = 30_000
const POOL_SIZE = 10
/** The embedded engine runs one statement at a time. */
const EMBEDDED_POOL_SIZE = 4
const SLOW_POOL_SIZE = 4
const PIPELINED_CONNECTIONS = 2
const MAX_LIFETIME_SECONDS = 1_800

/** Opens the database without running a statement. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const {
    url,
    replicaUrl,
    searchPath,
    dataDir,
    share,
    poolSize = POOL_SIZE,
    maxWaiting = UNLIMITED.maxWaiting,
    maxWaitingOfOwner = UNLIMITED.maxWaitingOfOwner,
    onError
  } = options
  const engine = url === undefined ? await openEngine(dataDir, share) : undefined
  const server = { connectionString: url ?? '', ...(searchPath !== undefined && { searchPath }) }
  const settings: pg.ClientConfig = {
    ...(engine
      ? {
          host: engine.socketDir,
          user: 'postgres',
          database: 'postgres',
          statement_timeout: EMBEDDED_STATEMENT_TIMEOUT_MS
        }
      : { ...connectionTo(server, REQUEST_SETTINGS), query_timeout: QUERY_TIMEOUT_MS }),
    types: driverTypes,
    application_name: options.name,
    ...KEEP_ALIVE,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS
  }
  const nameOf = openStatementNames()
  const commits = new EventEmitter()
  const poolSettings = engine
    ? { ...settings, max: Math.min(poolSize, EMBEDDED_POOL_SIZE) }
    : { ...settings, max: poolSize, pipeline: true }
  const pool = openPool(poolSettings, onError)
  // Without idle connections, the first search after a while would wait for a connection and for its statements to be planned.
  const slowSettings = engine
    ? { ...settings, max: 1, min: 1 }
    : { ...settings, ...connectionTo(server, SERVER_SETTINGS), max: SLOW_POOL_SIZE, min: SLOW_POOL_SIZE }
  const slowPool = openPool(slowSettings, onError)
  const replicaPool =
    replicaUrl === undefined
      ? undefined
      : openPool(
          { ...slowSettings, ...connectionTo({ ...server, connectionString: replicaUrl }, SERVER_SETTINGS) },
          () => {}
        )
  const pipelined = openPipelined(settings, engine ? 1 : PIPELINED_CONNECTIONS, onError)

  const queryOn = (target: pg.Pool): Queryable => ({
    query: async <Row extends pg.QueryResultRow>(statement: SQL) =>
      (await target.query<Row>(toQuery(statement, nameOf))).rows
  })
  const slow = {
    ...queryOn(slowPool),
    transaction: openTransactions(slowPool, { commits, nameOf, ...UNLIMITED })
  }
  let distributed: boolean | undefined

  const builder = drizzle({ client: pool, casing: 'snake_case' })

  const db: Database = Object.assign(builder, {
    query: <Row extends pg.QueryResultRow>(statement: SQL) => pipelined.query<Row>(toQuery(statement, nameOf)),
    isDistributed: async () => (distributed ??= await isDistributed(pool)),
    transaction: openTransactions(pool, { commits, nameOf, maxWaiting, maxWaitingOfOwner }),
    ofOwner(this: Database, owner: string) {
      const bound: Database = Object.create(this)
      return Object.assign(bound, {
        transaction: <T>(run: (tx: Db) => Promise<T>, options?: { turn?: string }) =>
          this.transaction(run, { ...options, owner })
      })
    },
    prepared: openPrepared(builder),
    afterCommit: (topic: Topic, userId: string) => void commits.emit(topic, userId),
    beforeCommit() {
      throw new Error('There is no transaction, so nothing can run before its commit')
    },
    // A single statement locks in the order that it names.
    willLock() {}
  })

  return {
    db,
    slow,
    replica: replicaPool ? preferReplica(queryOn(replicaPool), slow, onError) : slow,
    pool,
    address: engine ? { socketDir: engine.socketDir, dataDir } : server,
    commits,
    load: () => ({ pools: { requests: countsOf(pool), slow: countsOf(slowPool) }, inFlight: pipelined.inFlight() }),
    ...(engine && { engine }),
    async close() {
      await Promise.all([pool.end(), slowPool.end(), replicaPool?.end(), pipelined.close()])
      // A command that runs the engine waits for the commands that use it; a server cannot.
      await engine?.close(share ? Number.POSITIVE_INFINITY : undefined)
    }
  }
}

function openPool(settings: pg.PoolConfig, onError: (error: Error) => void) {
  const pool = openClassifiedPool({ ...settings, maxLifetimeSeconds: MAX_LIFETIME_SECONDS })
  // Without listeners, a connection that the server closes would end the process: while it is idle, and while a caller has it.
  pool.on('error', error => onError(classifyIdle(error)))
  pool.on('connect', client => client.on('error', () => {}))
  // The driver lets a pipelined connection finish its statements first, which nobody waits for any more.
  pool.on('release', (broken, client) => {
    if (broken) client.connection.stream.destroy()
  })
  return pool
}

function countsOf({ totalCount, idleCount, waitingCount }: pg.Pool) {
  return { total: totalCount, idle: idleCount, waiting: waitingCount }
}

/**
 * Requests read few rows by an index. A plan that is cached while a table is nearly empty would read the whole table later, until the table is
 * analyzed again; with few users, even a plan for a large table would.
 */
const REQUEST_SETTINGS = { ...SERVER_SETTINGS, enable_seqscan: 'off' }
