import type { Command } from 'commander'
import { addressOf, hasDatabase } from '../compose.ts'
import { type Config, readConfig } from '../config.ts'
import { countMigrations, countPendingMigrations, migrateDatabase } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { doctor } from './doctor.ts'
import { CommandFailed, show } from './output.ts'

/** What only a server needs is loaded for it alone: it would double the time that every other command takes to start. */
export function addServerCommands(program: Command) {
  program.command('serve').description('run the server until it is told to stop (SIGTERM or Ctrl-C)').action(serve)

  program
    .command('migrate')
    .description('bring the database up to date with this version')
    .option('--check', 'change nothing; exit code 1 when there is something to do')
    .option('--json', 'one JSON value')
    .action(migrate)

  program
    .command('doctor')
    .description('show the configuration as understood, and check what it names')
    .option('--json', 'one JSON value a line')
    .action(doctor)

  program
    .command('openapi')
    .description('print the OpenAPI document')
    .option('--app', 'that of the app API')
    .option('--json', 'the document is JSON in any case')
    .action(openapi)
}

async function serve() {
  const { main } = await import('../main.ts')
  await main(readConfig({ create: true }))
}

async function openapi({ app }: { app?: boolean }) {
  const { appApiDocument, openapiDocument } = await import('../http/document.ts')
  console.log(JSON.stringify(await (app ? appApiDocument() : openapiDocument()), null, 2))
}

async function migrate({ check = false, json }: { check?: boolean; json?: boolean }) {
  const { database } = readConfig()
  const pending = check && !hasDatabase(database) ? countMigrations() : await migrateOpened(database, check)
  show(json, { pending, applied: check ? 0 : pending }, words(pending, check))
  if (check && pending > 0) throw new CommandFailed('The database is not up to date', { reported: true })
}

/** How many migrations were pending; without `check` they are applied. */
async function migrateOpened(database: Config['database'], check: boolean) {
  const opened = await openDatabase({ ...database, share: true, name: 'parlance migrate', onError: () => {} })
  try {
    const address = addressOf(opened, database.url)
    const pending = await countPendingMigrations(address)
    if (!check && pending > 0) await migrateDatabase(address)
    return pending
  } finally {
    await opened.close()
  }
}

function words(pending: number, check: boolean) {
  if (pending === 0) return 'The database is up to date.'
  return check ? `${pending} migrations are to be applied.` : `${pending} migrations applied.`
}
