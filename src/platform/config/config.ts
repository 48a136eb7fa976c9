import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { z } from 'zod'
import type { Quotas } from '../../contract/quotas.ts'
import type { Retention } from '../../contract/retention.ts'
import type { SignUp } from '../../contract/sign-in.ts'
import { describeError } from '../core/api-error.ts'
import { OperatorError } from '../core/operator-error.ts'
import { refusalOf } from '../core/remedy.ts'
import type { ClientCertificate, Proxies } from '../net/proxies.ts'
import { type BucketCredentials, bucketCredentials, clientCertificate } from './credentials.ts'
import { requireOwnDataDir } from './data-dir.ts'
import { chooseEmbedder, type EmbedderChoice } from './embedding-settings.ts'
import { Environment } from './environment.ts'
import type { BucketAddress } from './media-url.ts'
import { OIDC_SETTINGS, oidcProvider } from './oidc-settings.ts'
import { findPrograms } from './programs.ts'
import {
  chooseSummaries,
  chooseTranscription,
  type SummaryProvider,
  type TranscriptionProvider
} from './provider-settings.ts'
import { readVariables, SECRETS, type Variables } from './secret-files.ts'
import { storedSecret } from './stored-secret.ts'

export interface Config {
  /** `implied`: no setting names a database, so the embedded one in the default folder is used. */
  database: { url: string | undefined; replicaUrl: string | undefined; dataDir: string; implied: boolean }
  public: {
    host: string
    port: number
    reusePort: boolean
    url: string | undefined
    trustProxy: false | number | string[]
    corsOrigins: string[]
    drainSeconds: number
    keepAliveSeconds: number
  }
  admin: { host: string; port: number; names: string[] }
  secretKey: string
  signUp: SignUp
  /** The provider where people sign in, besides by mail. */
  oidc: ReturnType<typeof oidcProvider>
  /** How assistants connect. */
  oauth: { advertisesDocuments: boolean; lanRedirects: boolean }
  adminApiKey: string | undefined
  rateLimits: { perMinute: number; perDay: number; assistantsPerMinute: number }
  /** The quotas of users without limits of their own. */
  quotas: Quotas
  /** The mebibytes of a disk that uploads leave free; undefined for the default of the disk. */
  diskReserveMib: number | undefined
  /** The days for which recordings and sessions are kept. */
  retention: Retention
  /** The provider of summaries and action items; undefined for the offline summarizer. */
  summaries: SummaryProvider | undefined
  /** The provider of transcripts; undefined where nothing transcribes recordings. */
  transcription: TranscriptionProvider | undefined
  embedder: EmbedderChoice
  /** The folder of the bundled embedding model's file. */
  modelFolder: string
  webhooks: { allowHttp: boolean; allowedCidrs: string[] }
  outbound: { proxies: Proxies; certificate: ClientCertificate | undefined }
  media: { folder: string } | (BucketAddress & { credentials: BucketCredentials | undefined })
  mail: { smtpUrl: string | undefined; outbox: string; from: string }
  /** The time that a search waits for the query embedding, in milliseconds. */
  searchWaitMs: number
  tracing:
    | {
        endpoint: string
        ratio: number
        attributes: Record<string, string>
        headers: Record<string, string> | undefined
      }
    | undefined
  logLevel: Environment['LOG_LEVEL']
  /** The folder for sound while it is cut, on the disk of the data because /tmp may be memory; and where ffmpeg is found, as in PATH. */
  sound: { folder: string; programPath: string | undefined }
}

/**
 * Reads the configuration from the environment. Throws an OperatorError with one line for each error. A server creates a missing secret beside
 * the embedded database; a command leaves it empty.
 */
export function readConfig({
  environment = process.env,
  create = false
}: {
  environment?: Variables
  create?: boolean
} = {}): Config {
  const { variables, errors } = readVariables(environment)
  const { data, error } = Environment.safeParse(variables)
  const lines = [...errors, ...(error?.issues.map(describeIssue) ?? [])]
  if (!data || lines.length > 0) throw new OperatorError(lines.join('\n'))
  if (data.EMBEDDING_BASE_URL && !data.EMBEDDING_MODEL)
    throw new OperatorError(
      'EMBEDDING_MODEL: required with EMBEDDING_BASE_URL; set the name of the model that the server has'
    )
  if (data.REUSE_PORT && !data.DATABASE_URL)
    throw new OperatorError('REUSE_PORT: needs DATABASE_URL; the embedded database is for one server')
  const hosts = [data.HOST, data.ADMIN_HOST]
  const overlap = hosts[0] === hosts[1] || hosts.includes('0.0.0.0') || hosts.includes('::')
  if (overlap && data.PORT === data.ADMIN_PORT && data.PORT !== 0)
    throw new OperatorError('ADMIN_PORT: is the PORT as well; choose another one')
  if (data.DATABASE_REPLICA_URL && !data.DATABASE_URL)
    throw new OperatorError('DATABASE_REPLICA_URL: needs DATABASE_URL, of which it is a replica')
  if (environment.NODE_ENV === 'production' && data.WEBHOOK_ALLOW_HTTP && !data.WEBHOOK_ALLOWED_CIDRS)
    throw new OperatorError(
      'WEBHOOK_ALLOW_HTTP: refused in production without WEBHOOK_ALLOWED_CIDRS; name the networks that http may reach'
    )
  const dataDir = resolve(data.DATA_DIR)
  if (!existsSync(dirname(dataDir)))
    throw new OperatorError(
      `DATA_DIR: there is no folder ${dirname(dataDir)} to create ${dataDir} in; create it, or correct DATA_DIR`
    )
  if (!data.DATABASE_URL) requireOwnDataDir(dataDir)
  if (data.DATABASE_URL && !data.SECRET_KEY)
    throw new OperatorError(
      'SECRET_KEY: required with DATABASE_URL; set at least 32 random characters, the same on every server'
    )
  const embedder = chooseEmbedder(data)
  const proxies = { http: data.HTTP_PROXY, https: data.HTTPS_PROXY, except: data.NO_PROXY ?? [] }
  return {
    database: {
      url: data.DATABASE_URL,
      replicaUrl: data.DATABASE_REPLICA_URL,
      dataDir,
      implied: !data.DATABASE_URL && !variables.DATA_DIR
    },
    public: {
      host: data.HOST,
      port: data.PORT,
      reusePort: data.REUSE_PORT,
      url: data.PUBLIC_URL,
      trustProxy: data.TRUST_PROXY,
      corsOrigins: data.CORS_ORIGINS ?? [],
      drainSeconds: data.DRAIN_SECONDS,
      keepAliveSeconds: data.KEEP_ALIVE_SECONDS
    },
    admin: { host: data.ADMIN_HOST, port: data.ADMIN_PORT, names: data.ADMIN_HOST_NAMES ?? [] },
    secretKey: data.SECRET_KEY ?? storedSecret(dataDir, create) ?? '',
    signUp: data.SIGN_UP,
    oidc: oidcProvider(data),
    oauth: {
      advertisesDocuments: data.OAUTH_CLIENT_DOCUMENTS === 'on',
      lanRedirects: data.OAUTH_LAN_REDIRECTS === 'on'
    },
    adminApiKey: data.APP_API_KEY,
    rateLimits: {
      perMinute: data.RATE_LIMIT_PER_MINUTE,
      perDay: data.RATE_LIMIT_PER_DAY,
      assistantsPerMinute: data.RATE_LIMIT_ASSISTANT_PER_MINUTE
    },
    quotas: {
      bytes_stored: data.QUOTA_STORED_GIB * 1024 ** 3,
      sessions_per_day: data.QUOTA_SESSIONS_PER_DAY,
      folders: data.QUOTA_FOLDERS,
      people: data.QUOTA_PEOPLE
    },
    diskReserveMib: data.DISK_RESERVE_MIB,
    retention: { audio_days: data.RETENTION_AUDIO_DAYS ?? null, session_days: data.RETENTION_SESSION_DAYS ?? null },
    summaries: chooseSummaries(data),
    transcription: chooseTranscription(data),
    embedder,
    modelFolder: join(dataDir, 'models'),
    media: data.MEDIA_URL
      ? { ...data.MEDIA_URL, credentials: bucketCredentials(data) }
      : { folder: join(dataDir, 'media') },
    webhooks: { allowHttp: data.WEBHOOK_ALLOW_HTTP, allowedCidrs: data.WEBHOOK_ALLOWED_CIDRS ?? [] },
    outbound: { proxies, certificate: clientCertificate(data) },
    mail: { smtpUrl: data.SMTP_URL, outbox: join(dataDir, 'outbox'), from: sender(data) },
    // A model on this machine is never away, only busy with an import.
    searchWaitMs: embedder.kind === 'provider' ? data.SEARCH_WAIT_MS : 2_000,
    tracing: data.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          endpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
          ratio: data.OTEL_TRACES_SAMPLER_ARG,
          headers: data.OTEL_EXPORTER_OTLP_HEADERS,
          attributes: {
            'service.name': 'parlance',
            ...data.OTEL_RESOURCE_ATTRIBUTES,
            ...(data.OTEL_SERVICE_NAME && { 'service.name': data.OTEL_SERVICE_NAME })
          }
        }
      : undefined,
    logLevel: data.LOG_LEVEL,
    sound: { folder: join(dataDir, 'sound'), ...findPrograms(environment) }
  }
}

function describeIssue(issue: z.core.$ZodIssue) {
  return describeError({ field: issue.path.join('.'), ...refusalOf(issue) }, 'set')
}

/** Settings of the server that the demo ignores: database, key, bucket, mail server and provider of sign-ins. */
const NOT_OF_DEMO = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'SECRET_KEY',
  'MEDIA_URL',
  'SMTP_URL',
  'MAIL_FROM',
  ...Object.keys(OIDC_SETTINGS),
  'REUSE_PORT'
]

/** The folder of the demo's data in DATA_DIR. */
export const demoFolder = (dataDir: string) => join(dataDir, 'demo')

/** Reads the configuration of the demo. */
export function readDemoConfig() {
  const folder = process.env.DATA_DIR || './data'
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const ignored = [...NOT_OF_DEMO, ...NOT_OF_DEMO.filter(key => SECRETS.includes(key)).map(key => `${key}_FILE`)]
  const own = Object.entries(process.env).filter(([key]) => !ignored.includes(key))
  return readConfig({ environment: { ...Object.fromEntries(own), DATA_DIR: demoFolder(folder) }, create: true })
}

/** The sender of mails. Without a setting it is an invented address, which a real mail server would refuse. */
function sender({ SMTP_URL, MAIL_FROM }: Environment) {
  if (SMTP_URL && !MAIL_FROM)
    throw new OperatorError('MAIL_FROM: required with SMTP_URL; set an address that the mail server takes')
  return MAIL_FROM ?? 'Parlance <parlance@localhost>'
}
