import type pg from 'pg'
import type { NodePgDatabase, SQL } from './drizzle.ts'

/** The changes that other parts of this process wait for. Other processes poll the database. */
export type Topic = 'deliveries' | 'deletions'

/** A database or an open transaction; a query function works with both. */
export interface Db extends Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'> {
  transaction<T>(run: (tx: Db) => Promise<T>): Promise<T>
  /** Announces the owner's change to this process after the commit: at the end of the transaction, or at once outside of one. */
  afterCommit(topic: Topic, userId: string): void
}

/** Runs single statements outside any transaction. Each connection prepares each of them once. Rows have named columns. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(statement: SQL): Promise<Row[]>
}

/** The database as requests use it: `query` runs short reads on pipelined connections; everything else uses the pool. */
export interface Database extends Db, Queryable {
  /** Returns whether the tables are distributed over the nodes of a cluster. The first answer is cached. */
  isDistributed(): Promise<boolean>
}
