import { codeOf } from '../core/error-code.ts'
import type { Db } from './database.ts'
import { sql } from './drizzle.ts'

/** The time for each statement of a page that must not burden a database which has trouble already, in milliseconds. */
const TIMEOUT_MS = 2_000

/** Reads in a transaction what may be very much to count. Undefined if a statement takes too long. */
export async function readInTime<T>(db: Db, read: (tx: Db) => Promise<T>): Promise<T | undefined> {
  try {
    return await db.transaction(async tx => {
      await tx.execute(sql.raw(`set local statement_timeout = ${TIMEOUT_MS}`))
      return await read(tx)
    })
  } catch (error) {
    if (isCancelled(error)) return undefined
    throw error
  }
}

function isCancelled(error: unknown): boolean {
  return error instanceof Error && (codeOf(error) === '57014' || isCancelled(error.cause))
}
