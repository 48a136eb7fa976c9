import { findUserId } from '../accounts/lookup.ts'
import { connect } from '../compose.ts'
import { type Config, readConfig } from '../config.ts'
import type { OpenDatabase } from '../db/open.ts'
import { CommandFailed } from './output.ts'

export interface Context {
  config: Config
  database: OpenDatabase
}

/** Runs a command with the configured database, the running server's where there is one, and closes it again. */
export async function withDatabase(run: (context: Context) => Promise<void>) {
  const config = readConfig()
  const database = await connect(config, { share: true, name: 'parlance command', onError: () => {} })
  try {
    await run({ config, database })
  } finally {
    await database.close()
  }
}

/** The id of the user that `--user` names by id or e-mail address. */
export async function userNamed({ database }: Context, idOrEmail: string) {
  const userId = await findUserId(database.db, idOrEmail)
  if (!userId) throw new CommandFailed(`There is no user ${idOrEmail}; see: user list`)
  return userId
}
