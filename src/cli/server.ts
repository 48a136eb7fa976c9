import type { Command } from 'commander'
import { addressOf, chooseAi, chooseMail, chooseMedia } from '../compose.ts'
import { describeConfig, readConfig } from '../config.ts'
import { countPendingMigrations, migrateDatabase } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { appApiDocument, openapiDocument } from '../http/document.ts'
import { main } from '../main.ts'
import { CommandFailed, show, showList } from './output.ts'

export function addServerCommands(program: Command) {
  program
    .command('serve')
    .description('run the server until it is told to stop (SIGTERM or Ctrl-C)')
    .action(async () => void (await main(readConfig())))

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
    .action(async ({ app }: { app?: boolean }) => console.log(JSON.stringify(await (app ? appApiDocument() : openapiDocument()), null, 2)))
}

async function migrate({ check, json }: { check?: boolean; json?: boolean }) {
  const { database } = readConfig()
  const opened = await openDatabase({ ...database, share: true, name: 'parlance migrate', onError: () => {} })
  try {
    const address = addressOf(opened, database.url)
    const pending = await countPendingMigrations(address)
    if (!check && pending > 0) await migrateDatabase(address)
    show(json, { pending, applied: check ? 0 : pending }, words(pending, Boolean(check)))
    if (check && pending > 0) throw new CommandFailed('The database is not up to date', { reported: true })
  } finally {
    await opened.close()
  }
}

function words(pending: number, check: boolean) {
  if (pending === 0) return 'The database is up to date.'
  return check ? `${pending} migrations are to be applied.` : `${pending} migrations applied.`
}

async function doctor({ json }: { json?: boolean }) {
  const config = readConfig()
  showList(
    json,
    describeConfig().map(({ key, value }) => ({ setting: key, value }))
  )
  const checks = [
    await check('database', () => checkDatabase(config)),
    await check('ai', () => checkAi(config)),
    await check('media', () => checkMedia(config)),
    await check('mail', () => checkMail(config))
  ]
  if (!json) console.log()
  showList(json, checks)
  const broken = checks.filter(({ ok }) => !ok)
  if (broken.length > 0) throw new CommandFailed(`Not working: ${broken.map(({ check }) => check).join(', ')}`)
}

async function check(name: string, ask: () => Promise<string>) {
  try {
    return { check: name, ok: true, detail: await ask() }
  } catch (fault) {
    return { check: name, ok: false, detail: fault instanceof Error ? fault.message : String(fault) }
  }
}

async function checkDatabase({ database }: ReturnType<typeof readConfig>) {
  const opened = await openDatabase({ ...database, share: true, name: 'parlance doctor', onError: () => {} })
  try {
    const { rows } = await opened.pool.query(
      "select current_setting('server_version') as version, (select default_version from pg_available_extensions where name = 'vector') as vector"
    )
    const [found] = rows
    if (!found?.vector) throw new CommandFailed('The extension pgvector is not installed on the database server')
    const pending = await countPendingMigrations(addressOf(opened, database.url))
    const kind = opened.engine ? 'embedded' : 'server'
    return `PostgreSQL ${found.version} (${kind}), pgvector ${found.vector}, ${pending === 0 ? 'up to date' : `${pending} migrations to apply`}`
  } finally {
    await opened.close()
  }
}

async function checkMedia(config: ReturnType<typeof readConfig>) {
  const media = await chooseMedia(config)
  return await media.check().finally(() => media.close())
}

async function checkAi(config: ReturnType<typeof readConfig>) {
  const ai = await chooseAi(config)
  try {
    await ai.check()
    return `${config.openai ? config.openai.baseUrl : 'offline'}, embeddings by ${ai.embedder.model}, ${config.openai?.transcriptionModel ? `transcripts by ${config.openai.transcriptionModel}` : 'no transcription'}`
  } finally {
    await ai.close()
  }
}

async function checkMail(config: ReturnType<typeof readConfig>) {
  const mail = await chooseMail(config)
  try {
    return await mail.check()
  } finally {
    mail.close()
  }
}
