import { type DatabaseOptions, type OpenDatabase, openDatabase } from '../../src/platform/db/open.ts'

const PATIENCE_MS = 60_000

/**
 * Opens a database on which many transactions may be begun at once: on a busy machine some wait for a connection for longer than the five seconds
 * after which a server refuses them.
 */
export async function openPatientDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const opened = await openDatabase(options)
  opened.pool.options.connectionTimeoutMillis = PATIENCE_MS
  return opened
}
