import { codeOf } from '../core/error-code.ts'
import type { Db } from './database.ts'
import { sql } from './drizzle.ts'

/** Reads in a transaction with a statement timeout of its own. Undefined if a statement takes longer. */
export async function readInTime<T>(db: Db, timeoutMs: number, read: (tx: Db) => Promise<T>): Promise<T | undefined> {
  try {
    return await db.transaction(async tx => {
      await tx.execute(sql.raw(`set local statement_timeout = ${timeoutMs}`))
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
