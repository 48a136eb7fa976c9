import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { LIMITS } from './contract/limits.ts'
import { requireOwnDataDir } from './core/data-dir.ts'
import { chooseEmbedder, EMBEDDING_SETTINGS, type EmbedderChoice } from './core/embedding-settings.ts'
import { OperatorError } from './core/operator-error.ts'
import {
  type BucketAddress,
  booleanSetting,
  cidrs,
  count,
  httpUrl,
  mailbox,
  mediaUrl,
  origins,
  port,
  postgresUrl,
  proxies,
  smtpUrl
} from './core/settings.ts'
import { MIN_SECRET_LENGTH, storedSecret } from './core/stored-secret.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Every setting, in the order of the guide's table. The key is the environment variable. */
const Environment = z.object({
  DATABASE_URL: postgresUrl.optional().describe('PostgreSQL 15 or newer with pgvector. Without it the server uses its embedded database'),
  DATABASE_REPLICA_URL: postgresUrl.optional().describe('Streaming replica of `DATABASE_URL`, which searches read their candidates from'),
  DATA_DIR: z.string().default('./data').describe('Folder of the embedded database, the recordings and the generated secret'),
  HOST: z.string().default('127.0.0.1').describe('Address of the public port; `0.0.0.0` to be reachable from other machines'),
  PORT: port(8080).describe('Public port: the API, its reference page and the guides'),
  REUSE_PORT: booleanSetting.describe(
    'Lets several servers on this machine listen on the same `PORT`, each with its own `ADMIN_PORT`. Needs `DATABASE_URL`'
  ),
  ADMIN_HOST: z.string().default('127.0.0.1').describe('Address of the admin port'),
  ADMIN_PORT: port(9090).describe('Admin port: `/livez`, `/readyz`, `/metrics` and the admin API. Keep it private'),
  PUBLIC_URL: httpUrl
    .refine(url => !/[?#]/.test(url), 'set a URL without ? and #')
    .optional()
    .describe('Base of every URL that leaves the server, such as `https://example.com/parlance`; `http://HOST:PORT` unless set'),
  SECRET_KEY: z
    .string()
    .min(MIN_SECRET_LENGTH, 'set at least 32 characters')
    .optional()
    .describe(
      'Signs links and encrypts webhook secrets at rest, 32 characters or more (`openssl rand -hex 32`). Required with `DATABASE_URL`; otherwise generated into `DATA_DIR`'
    ),
  APP_API_KEY: z
    .string()
    .min(32, 'set at least 32 characters')
    .regex(/^[\x21-\x7e]+$/, 'set letters, digits and signs of ASCII, without spaces')
    .optional()
    .describe('Key of the admin API, 32 characters or more. Without it the admin API is off'),
  RATE_LIMIT_PER_MINUTE: count(LIMITS.requestsPerMinute).describe(
    'Requests of a token in a minute; a client address without a valid token gets ten times as many'
  ),
  RATE_LIMIT_PER_DAY: count(LIMITS.requestsPerDay).describe('Requests of a token in a day'),
  TRUST_PROXY: proxies.describe(
    'Proxies whose `X-Forwarded-For` counts: their number (such as 1, where nobody else reaches the port), or their addresses and networks (such as `10.0.0.0/8`)'
  ),
  CORS_ORIGINS: origins.describe(
    'Origins whose pages may call the API from a browser (CORS), separated by commas, such as `https://app.example.com`. None unless set'
  ),
  OPENAI_API_KEY: z.string().min(1).optional().describe('Key of an OpenAI-compatible provider. Without it the offline models are used'),
  OPENAI_BASE_URL: httpUrl.default('https://api.openai.com/v1').describe('URL of the provider, up to and including `/v1`'),
  SUMMARY_MODEL: z.string().min(1).default('gpt-4.1-mini').describe('Model for summaries and action items'),
  TRANSCRIPTION_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe('Model for transcripts of recordings, such as `whisper-1`. Without it the server refuses recordings that have no transcript'),
  ...EMBEDDING_SETTINGS,
  MEDIA_URL: mediaUrl
    .optional()
    .describe(
      "Bucket for recordings: `s3://bucket?region=…`, with `&endpoint=https://…` for a server other than Amazon's. Without it they are in `DATA_DIR/media`"
    ),
  WEBHOOK_ALLOW_HTTP: booleanSetting.describe('Allows webhooks with http URLs; in production only with `WEBHOOK_ALLOWED_CIDRS`'),
  WEBHOOK_ALLOWED_CIDRS: cidrs.describe('Private networks that webhooks may reach, such as `10.0.0.0/8,::1/128`'),
  SMTP_URL: smtpUrl
    .optional()
    .describe('Mail server, `smtp://user:password@host:587` or `smtps://…`. Without it mails are written into `DATA_DIR/outbox`'),
  MAIL_FROM: mailbox.optional().describe('Sender of mails, such as `Parlance <parlance@example.com>`. Required with `SMTP_URL`'),
  SEARCH_WAIT_MS: count(250).describe(
    'Milliseconds a search waits for the query embedding of a provider before it answers by terms alone; a model on this machine gets 2000'
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().describe('Base URL of an OpenTelemetry collector (OTLP/HTTP) for traces of requests'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'set a number from 0 to 1')
    .transform(Number)
    .default(1)
    .describe('Fraction of the requests that are traced, from 0 to 1'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `set one of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .describe('Least severe level that is logged: fatal, error, warn, info, debug, trace or silent')
})
type Environment = z.output<typeof Environment>

export const SETTINGS = Environment.shape

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
  }
  admin: { host: string; port: number }
  secretKey: string
  adminApiKey: string | undefined
  rateLimits: { perMinute: number; perDay: number }
  /** The provider of summaries and transcripts. */
  openai: { apiKey: string; baseUrl: string; summaryModel: string; transcriptionModel: string | undefined } | undefined
  embedder: EmbedderChoice
  /** The folder of the bundled embedding model's file. */
  modelFolder: string
  webhooks: { allowHttp: boolean; allowedCidrs: string[] }
  media: { folder: string } | BucketAddress
  mail: { smtpUrl: string | undefined; outbox: string; from: string }
  /** The time that a search waits for the query embedding, in milliseconds. */
  searchWaitMs: number
  tracing: { endpoint: string; ratio: number } | undefined
  logLevel: Environment['LOG_LEVEL']
}

type Variables = Record<string, string | undefined>

/**
 * Reads the configuration from the environment. Throws an OperatorError with one line for each error. A server creates a missing secret beside
 * the embedded database; a command leaves it empty.
 */
export function readConfig({ environment = process.env, create = false }: { environment?: Variables; create?: boolean } = {}): Config {
  const { data, error } = Environment.safeParse(given(environment))
  if (!data) throw new OperatorError(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'))
  if (data.TRANSCRIPTION_MODEL && !data.OPENAI_API_KEY) throw new OperatorError('TRANSCRIPTION_MODEL: needs OPENAI_API_KEY as well')
  if (data.EMBEDDING_BASE_URL && !data.EMBEDDING_MODEL)
    throw new OperatorError('EMBEDDING_MODEL: required with EMBEDDING_BASE_URL; set the name of the model that the server has')
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
    throw new OperatorError(`DATA_DIR: there is no folder ${dirname(dataDir)} to create ${dataDir} in; create it, or correct DATA_DIR`)
  if (!data.DATABASE_URL) requireOwnDataDir(dataDir)
  if (data.DATABASE_URL && !data.SECRET_KEY)
    throw new OperatorError('SECRET_KEY: required with DATABASE_URL; set at least 32 random characters, the same on every server')
  const embedder = chooseEmbedder(data)
  return {
    database: {
      url: data.DATABASE_URL,
      replicaUrl: data.DATABASE_REPLICA_URL,
      dataDir,
      implied: !data.DATABASE_URL && !given(environment).DATA_DIR
    },
    public: {
      host: data.HOST,
      port: data.PORT,
      reusePort: data.REUSE_PORT,
      url: data.PUBLIC_URL,
      trustProxy: data.TRUST_PROXY,
      corsOrigins: data.CORS_ORIGINS ?? []
    },
    admin: { host: data.ADMIN_HOST, port: data.ADMIN_PORT },
    secretKey: data.SECRET_KEY ?? storedSecret(dataDir, create) ?? '',
    adminApiKey: data.APP_API_KEY,
    rateLimits: { perMinute: data.RATE_LIMIT_PER_MINUTE, perDay: data.RATE_LIMIT_PER_DAY },
    openai: data.OPENAI_API_KEY
      ? {
          apiKey: data.OPENAI_API_KEY,
          baseUrl: data.OPENAI_BASE_URL,
          summaryModel: data.SUMMARY_MODEL,
          transcriptionModel: data.TRANSCRIPTION_MODEL
        }
      : undefined,
    embedder,
    modelFolder: join(dataDir, 'models'),
    media: data.MEDIA_URL ?? { folder: join(dataDir, 'media') },
    webhooks: { allowHttp: data.WEBHOOK_ALLOW_HTTP, allowedCidrs: data.WEBHOOK_ALLOWED_CIDRS ?? [] },
    mail: { smtpUrl: data.SMTP_URL, outbox: join(dataDir, 'outbox'), from: sender(data) },
    // A model on this machine is never away, only busy with an import.
    searchWaitMs: embedder.kind === 'provider' ? data.SEARCH_WAIT_MS : 2_000,
    tracing: data.OTEL_EXPORTER_OTLP_ENDPOINT
      ? { endpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT, ratio: data.OTEL_TRACES_SAMPLER_ARG }
      : undefined,
    logLevel: data.LOG_LEVEL
  }
}

/** Settings of the server that the demo ignores: database, key, bucket and mail server. */
const NOT_OF_DEMO = ['DATABASE_URL', 'DATABASE_REPLICA_URL', 'SECRET_KEY', 'MEDIA_URL', 'SMTP_URL', 'MAIL_FROM', 'REUSE_PORT']

/** The folder of the demo's data in DATA_DIR. */
export const demoFolder = (dataDir: string) => join(dataDir, 'demo')

/** Reads the configuration of the demo. */
export function readDemoConfig() {
  const folder = process.env.DATA_DIR || './data'
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = Object.entries(process.env).filter(([key]) => !NOT_OF_DEMO.includes(key))
  return readConfig({ environment: { ...Object.fromEntries(own), DATA_DIR: demoFolder(folder) }, create: true })
}

/** An empty value counts as not set. */
function given(environment: Variables) {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
}

/** The sender of mails. Without a setting it is an invented address, which a real mail server would refuse. */
function sender({ SMTP_URL, MAIL_FROM }: Environment) {
  if (SMTP_URL && !MAIL_FROM) throw new OperatorError('MAIL_FROM: required with SMTP_URL; set an address that the mail server takes')
  return MAIL_FROM ?? 'Parlance <parlance@localhost>'
}

const SECRET_SETTINGS = new Set(['SECRET_KEY', 'APP_API_KEY', 'OPENAI_API_KEY', 'EMBEDDING_API_KEY'])

/** The configuration as understood, with secrets masked. */
export function describeConfig() {
  const { data } = Environment.safeParse(given(process.env))
  return Object.entries(data ?? {}).map(([key, value]) => {
    const text = typeof value === 'object' ? String(process.env[key]) : String(value)
    return { key, value: SECRET_SETTINGS.has(key) ? 'set' : maskPassword(text) }
  })
}

/** Masks the password of a URL. In text that is not a valid URL, everything before the last @ counts as user and password. */
export function maskPassword(value: string) {
  const masked = value.replace(/^(\w+:\/\/)([^@/?#:]*)(?::.*)?@/s, (all, scheme: string, user: string) => {
    // In the URL of a provider or collector the user name may be the key, so it is masked too.
    return `${scheme}${/^http/.test(scheme) ? '***' : user}${all.includes(':', scheme.length) ? ':***' : ''}@`
  })
  return masked.replace(/([?&](?:ssl)?password=)[^&#]*/g, '$1***')
}
