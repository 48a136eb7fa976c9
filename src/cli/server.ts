import type { Command } from 'commander'
import { type Config, readConfig } from '../platform/config/config.ts'
import { countMigrations, countPendingMigrations, migrateDatabase } from '../platform/db/migrate.ts'
import { hasDatabase, openConfigured } from '../server/compose.ts'
import { doctor } from './doctor.ts'
import { addCommand } from './options.ts'
import { CommandFailed, print, printError, show, showDone } from './output.ts'

/** Imports that only a server needs are dynamic: they would double the start time of `migrate`. */
export function addServerCommands(program: Command) {
  program.command('serve').description('run the server until SIGTERM or Ctrl-C').action(serve)
  addCommand(program, 'migrate', 'migrate the database to this version')
    .option('--check', 'change nothing; exit code 1 if migrations are pending')
    .action(migrate)
  const ofDoctor = 'print the configuration, and check the database, keys, disk and providers it names'
  addCommand(program, 'doctor', ofDoctor, 'one JSON value per line').action(doctor)
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .option('--admin', 'print the document of the admin API')
    .option('--actions', 'print the profile of the document for assistants such as GPTs')
    .option('--json', 'the document is JSON in any case')
    .action(openapi)
}

async function serve() {
  const { runServer } = await import('../server/run.ts')
  await runServer(readConfig({ create: true }))
}

async function openapi({ admin, actions }: { admin?: boolean; actions?: boolean }) {
  const { actionsDocument, adminApiDocument, openapiDocument } = await import('../server/openapi-documents.ts')
  const make = admin ? adminApiDocument : actions ? actionsDocument : openapiDocument
  print(JSON.stringify(await make(), null, 2))
}

async function migrate({ check = false, json }: { check?: boolean; json?: boolean }) {
  const config = readConfig()
  const { database } = config
  const pending = check && !hasDatabase(database) ? countMigrations() : await migrateOpened(database, check)
  const done = { pending, applied: check ? 0 : pending }
  if (!check) return showDone({ config }, json, done, words(pending, check))
  show(json, done, words(pending, check))
  if (pending > 0) throw new CommandFailed('The database is not up to date', { reported: true })
}

/** The number of pending migrations, which are applied unless `check` is set. */
async function migrateOpened(database: Config['database'], check: boolean) {
  const opened = await openConfigured(database, { share: true, name: 'parlance migrate', onError: () => {} })
  try {
    const { address } = opened
    const pending = await countPendingMigrations(address)
    // This also runs without pending migrations: an interrupted one may have left tables to distribute.
    if (!check) await migrateDatabase(address, { onWait: printError })
    return pending
  } finally {
    await opened.close()
  }
}

function words(pending: number, check: boolean) {
  if (pending === 0) return 'The database is up to date.'
  return check ? `Pending migrations: ${pending}.` : `Applied migrations: ${pending}.`
}
