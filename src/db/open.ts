import type { EventEmitter } from 'node:events'
import pg from 'pg'
import { BoundedPool } from './bounded-pool.ts'
import { tellOfCommits } from './commits.ts'
import { drizzle, type NodePgDatabase } from './drizzle.ts'
import { type Engine, openEngine } from './embedded/engine.ts'
import { openLanes } from './lanes.ts'
import { LentClient } from './pipelined-client.ts'
import { preferReplica } from './replica.ts'
import * as schema from './schema/index.ts'
import { transactionsOf } from './transactions.ts'
import { driverTypes } from './types.ts'

/** A database or an open transaction; a query function never knows which. */
export type Db = Pick<NodePgDatabase<typeof schema>, '_' | 'select' | 'insert' | 'update' | 'delete' | 'execute' | 'transaction'>

/** A statement of a hot path, parsed once by each connection and run by its name. */
export interface Statement {
  name: string
  text: string
}

/** Runs hot statements, one round trip each, outside any transaction. Rows arrive as arrays in column order. */
export interface Reader {
  run<Row extends unknown[]>(statement: Statement, values: unknown[]): Promise<Row[]>
}

export interface Database extends Db, Reader {}

export interface OpenDatabase {
  db: Database
  /** A connection of its own, for the one statement that every request waits for: nothing slow is ever before it. */
  express: Reader
  /** Connections of its own for the work on webhooks, whose statements are longer than those of requests. */
  background: Reader
  /** Connections of its own for searches, which take longer than other reads. */
  searches: Reader
  /** Where searches compare what there is: the replica if there is one. It may be behind; what is shown is read by `searches`. */
  comparisons: Reader
  pool: pg.Pool
  /** Emits the topics of transactions that this process has committed. */
  commits: EventEmitter
  /** What it does at this moment. */
  load(): DatabaseLoad
  /** Present where this process reaches an embedded database. */
  engine?: Engine
  close(): Promise<void>
}

export interface DatabaseLoad {
  pool: { total: number; idle: number; waiting: number }
  /** Statements under way, by kind of connection. */
  lanes: Record<'reads' | 'express' | 'background' | 'searches', number>
}

export interface DatabaseOptions {
  /** `postgres://…`; without it, the embedded database of `dataDir`. */
  url: string | undefined
  /** A replica of it, for the reads that may be behind. */
  replicaUrl?: string | undefined
  dataDir: string
  /** Whether another process may be the one that runs the embedded database. */
  share: boolean
  /** Shown by Postgres as the name of the connection. */
  name: string
  poolSize?: number
  /** How many may wait for a connection while others have them all. Without it, as commands have it, any number. */
  mostWaiting?: number
  onError: (fault: Error) => void
}

/** Opens the database, without asking anything of it yet. */
export async function openDatabase({
  url,
  replicaUrl,
  dataDir,
  share,
  name,
  poolSize = 10,
  mostWaiting,
  onError
}: DatabaseOptions): Promise<OpenDatabase> {
  const engine = url ? undefined : await openEngine(dataDir, share)
  const settings: pg.ClientConfig = {
    ...(engine
      ? { host: engine.socketDir, user: 'postgres', database: 'postgres', statement_timeout: ENGINE_STATEMENT_MS }
      : { connectionString: url, options: SERVER_OPTIONS }),
    types: driverTypes,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS
  }
  const pooled = { ...settings, Client: LentClient, max: engine ? Math.min(poolSize, 4) : poolSize, maxLifetimeSeconds: 1_800 }
  const pool =
    mostWaiting === undefined ? new pg.Pool(pooled) : new BoundedPool({ ...pooled, connectionTimeoutMillis: TURN_MS }, mostWaiting)
  // Without a listener, one connection that the server ends while idle ends the process.
  pool.on('error', onError)
  // The same for one that is lost while a transaction has it; what is under way on it fails by itself.
  pool.on('connect', client => client.on('error', () => {}))
  const reads = openLanes(settings, engine ? 1 : READ_LANES, onError)
  const express = openLanes(settings, 1, onError)
  const background = openLanes(settings, engine ? 1 : BACKGROUND_LANES, onError)
  const searches = openLanes(settings, engine ? 1 : SEARCH_LANES, onError)
  const replica = replicaUrl === undefined ? undefined : openLanes({ ...settings, connectionString: replicaUrl }, SEARCH_LANES, () => {})
  const orm = Object.assign(drizzle({ client: pool, schema, casing: 'snake_case' }), { transaction: transactionsOf(pool) })
  return {
    db: Object.assign(orm, { run: reads.run }),
    express,
    background,
    searches,
    comparisons: replica ? preferReplica(replica, searches, onError) : searches,
    pool,
    commits: tellOfCommits(orm),
    load: () => ({
      pool: { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
      lanes: {
        reads: reads.underWay(),
        express: express.underWay(),
        background: background.underWay(),
        searches: searches.underWay()
      }
    }),
    ...(engine && { engine }),
    async close() {
      await Promise.all([pool.end(), reads.close(), express.close(), background.close(), searches.close(), replica?.close()])
      // A command that happens to run the engine stays until the others beside it are done; a server cannot.
      await engine?.close(share ? Number.POSITIVE_INFINITY : undefined)
    }
  }
}

const CONNECT_MS = 5_000

/** Longer than a server's, since everybody else loses the connection when the embedded engine ends a statement. */
const ENGINE_STATEMENT_MS = 30_000

/** Who waits longer for one of the pool's connections is told to come back: by then the load is more than it can take. */
const TURN_MS = 2_000

/** Two do for the load; the others are for while a read takes long. */
const READ_LANES = 4

/** So that taking deliveries does not wait for the noting of others. */
const BACKGROUND_LANES = 2

/** A search asks by words and by meaning at once. */
const SEARCH_LANES = 2

/** Settings of a connection that searches. */
export const SEARCH_OPTIONS = [
  // Compiling a statement of a search takes several times as long as running it: by the rows expected, which are far too many.
  '-c jit=off',
  // The same goes for starting workers, which also leave the processors of other requests: the few sessions that a filter leaves are compared
  // in a fifth of the time without, and a million passages in no more.
  '-c max_parallel_workers_per_gather=0',
  // Of nearest vectors: what an index misses is what it does not look at, and a filter must not leave too few.
  '-c hnsw.ef_search=128',
  '-c hnsw.iterative_scan=relaxed_order'
].join(' ')

const SERVER_OPTIONS = [
  '-c TimeZone=UTC',
  '-c statement_timeout=15s',
  '-c lock_timeout=5s',
  '-c idle_in_transaction_session_timeout=30s',
  SEARCH_OPTIONS
].join(' ')
