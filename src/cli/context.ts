import { findUserId } from '../features/access/lookup.ts'
import { type Config, demoFolder, readConfig } from '../platform/config/config.ts'
import { type Jobs, openJobs } from '../platform/jobs/jobs.ts'
import { type Connected, connect, hasDatabase } from '../server/compose.ts'
import { CommandFailed, printError } from './output.ts'

export interface Context {
  config: Config
  database: Connected
}

/** Runs a command with the configured database, through the running server where it is embedded, and closes it again. */
export async function withDatabase(run: (context: Context) => Promise<void>) {
  const config = readConfig()
  if (!hasDatabase(config.database)) throw new CommandFailed(noDatabase(config.database))
  const database = await connect(config, { share: true, name: 'parlance command', onError: () => {} })
  // Otherwise the command might write to a database that no server uses.
  if (config.database.implied && database.engine?.owned)
    printError(`Using the embedded database in ${config.database.dataDir}, which no server has open`)
  try {
    await run({ config, database })
  } finally {
    await database.close()
  }
}

/** Like `withDatabase`, for a command on the data of the user with this id or e-mail address. */
export async function withUser(
  idOrEmail: string,
  run: (database: Connected, userId: string, context: Context) => Promise<void>
) {
  await withDatabase(async context => run(context.database, await userNamed(context, idOrEmail), context))
}

/** Like `withDatabase`, for a command that enqueues jobs. A running server does them; a command that does some itself supervises them. */
export async function withJobs(
  run: (context: Context & { jobs: Jobs }) => Promise<void>,
  { supervise = false }: { supervise?: boolean } = {}
) {
  await withDatabase(async context => {
    const jobs = await openJobs(context.database, { supervise, onError: () => {} })
    try {
      await run({ ...context, jobs })
    } finally {
      await jobs.stop()
    }
  })
}

function noDatabase({ dataDir, implied }: Config['database']) {
  const demo = demoFolder(dataDir)
  if (hasDatabase({ url: undefined, dataDir: demo }))
    return `There is no database in ${dataDir}. To use the demo's, set DATA_DIR=${demo}`
  const use = implied ? 'Set DATABASE_URL or DATA_DIR as for the server' : 'Correct DATA_DIR'
  return `There is no database in ${dataDir}. ${use}, or start the server once`
}

/** The id of the user that `--user` names by id or e-mail address. `remedy` follows where the users are listed. */
export async function userNamed({ database }: Context, idOrEmail: string, remedy = '') {
  const userId = await findUserId(database.db, idOrEmail)
  if (!userId) throw new CommandFailed(`There is no user ${idOrEmail}; see: npm run -s parlance -- user list${remedy}`)
  return userId
}
