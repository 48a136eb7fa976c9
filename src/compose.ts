import type { Ai } from './ai/ai.ts'
import type { Config } from './config.ts'
import { type Clock, systemClock } from './core/clock.ts'
import { countPendingMigrations, migrateDatabase } from './db/migrate.ts'
import { type OpenDatabase, openDatabase } from './db/open.ts'

/** The one file that names implementations. What is not chosen is not loaded. */
export async function chooseAi({ openai }: Config): Promise<Ai> {
  if (!openai) return (await import('./ai/offline.ts')).offlineAi()
  return (await import('./ai/openai.ts')).openAi(openai)
}

export const clock: Clock = systemClock

export interface Connection {
  /** Whether another process may run the embedded database that this one uses. */
  share: boolean
  name: string
  onError: (fault: Error) => void
}

/** Opens the configured database with its schema brought up to date. */
export async function connect({ database }: Config, connection: Connection): Promise<OpenDatabase> {
  const opened = await openDatabase({ ...database, ...connection })
  try {
    if (opened.engine?.owned === false) await countPendingMigrations({ socketDir: opened.engine.socketDir })
    else await migrateDatabase(addressOf(opened, database.url))
    return opened
  } catch (fault) {
    await opened.close()
    throw fault
  }
}

export function addressOf({ engine }: Pick<OpenDatabase, 'engine'>, url: string | undefined) {
  if (engine) return { socketDir: engine.socketDir }
  return { connectionString: url ?? '' }
}
