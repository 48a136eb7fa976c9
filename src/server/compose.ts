import { existsSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import type { Ai, Embeddings, Summaries, Transcripts } from '../platform/ai/ai.ts'
import type { OnTokens } from '../platform/ai/openai/chat.ts'
import type { Config } from '../platform/config/config.ts'
import { type Clock, openSynchronizedClock } from '../platform/core/clock.ts'
import { OperatorError } from '../platform/core/operator-error.ts'
import type { Address } from '../platform/db/client.ts'
import { followDatabase } from '../platform/db/clock.ts'
import { SettingsIgnored } from '../platform/db/explain.ts'
import { countPendingMigrations, migrateDatabase, type Waiting } from '../platform/db/migrate.ts'
import { type DatabaseOptions, type OpenDatabase, openDatabase } from '../platform/db/open.ts'
import { findAddress, requireReplicaSettings } from '../platform/db/server-address.ts'
import type { Mail } from '../platform/mail/mail.ts'
import type { IdentityProvider } from '../platform/ports/identity-provider.ts'
import type { MediaStore } from '../platform/ports/media-store.ts'
import type { DiskReserve } from '../platform/work/disk-reserve.ts'
import type { Tracing } from './telemetry/tracing.ts'

/** Chooses implementations by configuration. Only this file names them, and only the chosen ones are loaded. */
export async function chooseAi(config: Config, onTokens?: OnTokens): Promise<Ai> {
  const { joinAi } = await import('../platform/ai/join-ai.ts')
  return joinAi({
    summaries: await chooseSummaries(config, onTokens),
    transcripts: await chooseTranscripts(config),
    embeddings: await chooseEmbeddings(config)
  })
}

/** `onTokens` is called with the tokens of each answer of a provider. */
export async function chooseSummaries({ summaries, outbound }: Config, onTokens?: OnTokens): Promise<Summaries> {
  if (!summaries) return (await import('../platform/ai/summarizer/open-summarizer.ts')).openSummarizer()
  const { openProviderSummaries } = await import('../platform/ai/openai/summaries.ts')
  return openProviderSummaries({ ...summaries, ...outbound, onTokens })
}

export async function chooseTranscripts({ transcription, outbound }: Config): Promise<Transcripts | undefined> {
  if (!transcription) return undefined
  const { readAnswer } = await import('../features/transcript-formats/read-answer.ts')
  return (await import('../platform/ai/openai/transcripts.ts')).openProviderTranscripts({
    ...transcription,
    ...outbound,
    readAnswer
  })
}

export async function chooseEmbeddings({ embedder: choice, modelFolder, outbound }: Config): Promise<Embeddings> {
  if (choice.kind === 'provider')
    return (await import('../platform/ai/openai/embeddings.ts')).openProviderEmbeddings({ ...choice, ...outbound })
  const { noEmbeddings, openBundledEmbeddings, openFolderEmbeddings } = await import(
    '../platform/ai/embedder/local-embeddings.ts'
  )
  if (choice.kind === 'folder') return await openFolderEmbeddings(choice.folder, choice.prefixes)
  return choice.kind === 'none' ? noEmbeddings() : await openBundledEmbeddings(modelFolder)
}

/** The store of recordings. The bucket's client is loaded for buckets only, since it takes memory. */
export async function chooseMedia(
  { media, outbound }: Pick<Config, 'media' | 'outbound'>,
  diskReserve: DiskReserve
): Promise<MediaStore> {
  if ('bucket' in media) return (await import('../features/recordings/s3-store.ts')).s3Media({ ...media, ...outbound })
  return (await import('../features/recordings/local-store.ts')).localMedia(media.folder, diskReserve)
}

/** The tracing exporter if a collector is configured; its libraries are loaded only then. */
export async function chooseTracing(
  { tracing, outbound }: Config,
  onError: (reason: string) => void
): Promise<Tracing | undefined> {
  if (!tracing) return undefined
  const { otlpTracing } = await import('./telemetry/otlp.ts')
  return otlpTracing({ ...tracing, ...outbound, version: packageJson.version }, onError)
}

/** Base of every URL handed out, without a slash at its end. */
export function publicUrlOf({ public: { url, host, port } }: Config) {
  return url ?? `http://${hostInUrl(host)}:${port}`
}

/** A warning for the operator if links lead to this machine only. Undefined otherwise. */
export function linkWarning(config: Config) {
  const { url, host } = config.public
  if (url !== undefined || hostInUrl(host) !== 'localhost') return undefined
  return `PUBLIC_URL is not set, so links begin with ${publicUrlOf(config)}, which other machines cannot open; set it to the address that people use`
}

function hostInUrl(host: string) {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

export async function chooseMail({ mail, public: { url } }: Config): Promise<Mail> {
  const host = url === undefined ? undefined : new URL(url).hostname
  if (mail.smtpUrl) return (await import('../platform/mail/smtp.ts')).smtpMail(mail.smtpUrl, mail.from, { host })
  return (await import('../platform/mail/directory.ts')).directoryMail(mail.outbox, mail.from)
}

/** The provider where people sign in; its library is loaded only for one. */
export async function chooseOidc(config: Config, clock: Clock): Promise<IdentityProvider | undefined> {
  const { oidc, outbound } = config
  if (!oidc) return undefined
  const { openProvider } = await import('../features/sign-in/oidc/provider.ts')
  return openProvider(oidc, { redirectUri: `${publicUrlOf(config)}/sign-in/oidc/callback`, clock, outbound })
}

/** Without a mail server, links are files of the operator's, so a provider then is the only way for people to sign in. */
export function mailsLinks({ mail, oidc }: Pick<Config, 'mail' | 'oidc'>) {
  return mail.smtpUrl !== undefined || oidc === undefined
}

type OpenOptions = Pick<DatabaseOptions, 'share' | 'name' | 'maxWaiting' | 'maxWaitingOfOwner' | 'onError'>
export type ConnectionOptions = OpenOptions & Pick<Waiting, 'onWait' | 'onMigrated'>

/** Returns whether a database exists. An external one is assumed to exist; the embedded one exists if its folder does. */
export function hasDatabase({ url, dataDir }: Pick<Config['database'], 'url' | 'dataDir'>) {
  return url !== undefined || existsSync(join(dataDir, 'database'))
}

export interface Connected extends OpenDatabase {
  /** The time that is stored and compared: the clock of the database. */
  clock: Clock
  /** The quotas of the configuration: commands count what they create as well. */
  quotas: Config['quotas']
  retention: Config['retention']
}

/** Opens the configured database, whatever its schema. */
export async function openConfigured(database: Config['database'], options: OpenOptions): Promise<OpenDatabase> {
  const address = database.url === undefined ? undefined : await findAddress(database.url)
  return await openDatabase({ ...database, ...options, searchPath: address?.searchPath })
}

/** Opens the configured database. A server migrates its schema; a command only checks that it is current. */
export async function connect(
  { database, quotas, retention }: Config,
  connection: ConnectionOptions
): Promise<Connected> {
  const opened = await openConfigured(database, connection)
  try {
    if (connection.share) await requireSchema(opened.address, opened.engine?.owned === false)
    else {
      await checkReplica(database)
      await migrateDatabase(opened.address, connection)
    }
    return { ...(await withClock(opened)), quotas, retention }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** The folders of uploads until they are imported, of which those in parts go on after a restart, and of exports until they expire. */
export function dataFoldersOf({ database: { dataDir } }: Pick<Config, 'database'>) {
  return {
    uploadFolder: join(dataDir, 'uploads'),
    partsFolder: join(dataDir, 'parts'),
    exportsFolder: join(dataDir, 'exports')
  }
}

async function withClock(database: OpenDatabase) {
  const clock = openSynchronizedClock()
  const unfollow = await followDatabase(clock, database.db)
  const close = () => {
    unfollow()
    return database.close()
  }
  return { ...database, clock, close }
}

/** Refuses a replica whose rows would be read wrongly. While it does not answer, searches read from the primary. */
async function checkReplica({ replicaUrl }: Config['database']) {
  if (replicaUrl === undefined) return
  await requireReplicaSettings(replicaUrl).catch((error: unknown) => {
    if (error instanceof SettingsIgnored) throw error
  })
}

/** With `patience`, waits 30 s: a server of the embedded database listens before its migrations are done. */
async function requireSchema(address: Address, patience: boolean) {
  const deadline = Date.now() + (patience ? 30_000 : 0)
  while ((await countPendingMigrations(address)) > 0) {
    if (Date.now() >= deadline)
      throw new OperatorError(
        'The database does not have the tables of this version; start the server, or run: npm run -s parlance -- migrate'
      )
    await new Promise(wake => setTimeout(wake, 200))
  }
}
