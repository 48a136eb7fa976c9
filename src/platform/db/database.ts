import type pg from 'pg'
import type { NodePgDatabase, SQL } from './drizzle.ts'
import type { Lock } from './locks.ts'

/** The changes that other parts of this process wait for. Other processes poll the database. */
export type Topic = 'deliveries' | 'deletions' | 'events' | 'failures'

/** A database or an open transaction; a query function works with both. */
export interface Db extends Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'> {
  /**
   * Runs a transaction. Those of this process with the same `turn` run one after another, before they take a connection: long ones that lock
   * the same row would otherwise hold all connections while they wait for each other. Of one `owner` only some may wait. Without effect within a
   * transaction.
   */
  transaction<T>(run: (tx: Db) => Promise<T>, options?: { turn?: string; owner?: string }): Promise<T>
  /** The same database, whose transactions count as the owner's while they wait. Without effect within a transaction. */
  ofOwner(userId: string): Db
  /**
   * Runs a statement with values for its placeholders. Its text is built once for each connection, which takes longer than the rest of the
   * driver's work if the table has many columns. `build` is a constant: it identifies the statement.
   */
  prepared<Result>(build: Build<Result>, values: Record<string, unknown>): Promise<Result>
  /** Announces the owner's change to this process after the commit: at the end of the transaction, or at once outside of one. */
  afterCommit(topic: Topic, userId: string): void
  /**
   * Runs the step in the transaction after everything else, in the order in which steps were added: it locks what every change of the user
   * needs. A step of an inner transaction that is rolled back is forgotten. Throws outside of a transaction.
   */
  beforeCommit(step: BeforeCommit): void
  /** Notes that the next statement locks rows of this kind. Throws if the transaction has locked a later kind, see `locks.ts`. */
  willLock(lock: Lock): void
}

/** Builds a statement up to its `prepare`. */
export type Build<Result> = (builder: Pick<NodePgDatabase, 'select'>) => {
  execute(values: Record<string, unknown>): Promise<Result>
}

export type BeforeCommit = (tx: Db) => Promise<void>

/** Runs single statements outside any transaction. Each connection prepares each of them once. Rows have named columns. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(statement: SQL): Promise<Row[]>
}

/** The database as requests use it: `query` runs short reads on pipelined connections; everything else uses the pool. */
export interface Database extends Db, Queryable {
  /** Returns whether the tables are distributed over the nodes of a cluster. The first answer is cached. */
  isDistributed(): Promise<boolean>
  ofOwner(userId: string): Database
}
