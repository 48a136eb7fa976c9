import type pg from 'pg'
import type { NodePgDatabase, SQL } from './drizzle.ts'

/** What other parts of this process wait for. Other processes poll the database. */
export type Topic = 'deliveries' | 'deletions'

/** A database or an open transaction; a query function never knows which. */
export interface Db extends Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'> {
  transaction<T>(run: (tx: Db) => Promise<T>): Promise<T>
  /** Tells this process of the owner's change once it is committed: at the end of the transaction, or at once outside of one. */
  afterCommit(topic: Topic, userId: string): void
}

/** Runs single statements outside any transaction, each prepared once by each connection. Rows have the names of their columns. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(statement: SQL): Promise<Row[]>
}

/** The database as requests use it: `query` for their reads, which are short, on pipelined connections; everything else on the pool. */
export interface Database extends Db, Queryable {
  /** Whether the tables are distributed over the nodes of a cluster. The first answer is kept. */
  isDistributed(): Promise<boolean>
}
