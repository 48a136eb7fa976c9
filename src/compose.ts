import { existsSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import type { Ai } from './ai/ai.ts'
import type { Config } from './config.ts'
import { openFollower } from './core/clock.ts'
import { followDatabase } from './db/clock.ts'
import { DatabaseUnusable } from './db/explain.ts'
import { type Address, countPendingMigrations, migrateDatabase } from './db/migrate.ts'
import { type OpenDatabase, openDatabase } from './db/open.ts'
import type { Mail } from './mail/mail.ts'
import type { MediaStore } from './media/media.ts'
import type { Tracing } from './tracing/tracing.ts'

/** The one file that names implementations. What is not chosen is not loaded. */
export async function chooseAi({ openai }: Config): Promise<Ai> {
  if (!openai) return (await import('./ai/offline.ts')).offlineAi()
  return (await import('./ai/openai.ts')).openAi(openai)
}

/** Where recordings are kept. The bucket's client takes memory that a server with local files does without. */
export async function chooseMedia({ media }: Pick<Config, 'media'>): Promise<MediaStore> {
  if ('bucket' in media) return (await import('./media/s3.ts')).s3Media(media)
  return (await import('./media/local.ts')).localMedia(media.folder)
}

/** Who is told of each request, where there is a collector. Its libraries are loaded for it alone. */
export async function chooseTracing({ tracing }: Config, onFault: (reason: string) => void): Promise<Tracing | undefined> {
  if (!tracing) return undefined
  const { otlpTracing } = await import('./tracing/otlp.ts')
  return otlpTracing({ ...tracing, version: packageJson.version }, onFault)
}

/** Base of every URL handed out, without a slash at its end. */
export function publicUrlOf({ public: { url, host, port } }: Config) {
  return url ?? `http://${hostInUrl(host)}:${port}`
}

/** For the operator: what is wrong with the URLs handed out, where they lead to this machine alone. */
export function linkWarning(config: Config) {
  const { url, host } = config.public
  if (url !== undefined || hostInUrl(host) !== 'localhost') return undefined
  return `PUBLIC_URL is not set, so links begin with ${publicUrlOf(config)}, which other machines cannot open; set it to the address that people use`
}

function hostInUrl(host: string) {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

export async function chooseMail({ mail }: Config): Promise<Mail> {
  if (mail.smtpUrl) return (await import('./mail/smtp.ts')).smtpMail(mail.smtpUrl, mail.from)
  return (await import('./mail/outbox.ts')).outboxMail(mail.outbox, mail.from)
}

/** The time that is stored and compared: the database's, once it is connected to. */
export const clock = openFollower()

export interface Connection {
  /** Whether another process may run the embedded database that this one uses. */
  share: boolean
  name: string
  mostWaiting?: number
  onError: (fault: Error) => void
}

/** Whether there is a database to open: a server's is taken for there, the embedded one is where it was created. */
export function hasDatabase({ url, dataDir }: Config['database']) {
  return url !== undefined || existsSync(join(dataDir, 'database'))
}

/** Opens the configured database. A server brings its schema up to date, a command only makes sure that it is. Both go by its clock then. */
export async function connect({ database }: Config, connection: Connection): Promise<OpenDatabase> {
  const opened = await openDatabase({ ...database, ...connection })
  try {
    const address = addressOf(opened, database.url)
    if (connection.share) await requireSchema(address, opened.engine?.owned === false)
    else await migrateDatabase(address)
    return await withItsTime(opened)
  } catch (fault) {
    await opened.close()
    throw fault
  }
}

/** From now on the clock is the database's. */
export async function withItsTime(database: OpenDatabase): Promise<OpenDatabase> {
  const unfollow = await followDatabase(clock, database.express)
  const close = () => {
    unfollow()
    return database.close()
  }
  return { ...database, close }
}

/** With `patience`, since whoever runs the embedded database listens before it has brought it up to date. */
async function requireSchema(address: Address, patience: boolean) {
  const deadline = Date.now() + (patience ? 30_000 : 0)
  while ((await countPendingMigrations(address)) > 0) {
    if (Date.now() >= deadline)
      throw new DatabaseUnusable('The database does not have the tables of this version; start the server, or run: migrate')
    await new Promise(wake => setTimeout(wake, 200))
  }
}

export function addressOf({ engine }: Pick<OpenDatabase, 'engine'>, url: string | undefined) {
  if (engine) return { socketDir: engine.socketDir }
  return { connectionString: url ?? '' }
}
