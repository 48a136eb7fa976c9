import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { LIMITS } from './contract/limits.ts'
import { type BucketAddress, cidrs, count, flag, httpUrl, mailbox, mediaUrl, port, postgresUrl, proxies, smtpUrl } from './core/settings.ts'
import { storedSecret } from './core/stored-secret.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Every setting, in the order of the README's table. The key is the environment variable. */
const Environment = z.object({
  DATABASE_URL: postgresUrl.optional().describe('PostgreSQL 15 or newer with pgvector; without it the embedded database is used'),
  DATABASE_REPLICA_URL: postgresUrl
    .optional()
    .describe('A streaming replica of DATABASE_URL, which searches compare on; what they show is read from DATABASE_URL'),
  DATA_DIR: z.string().default('./data').describe('Where the embedded database, recordings and the generated secret live'),
  HOST: z.string().default('127.0.0.1').describe('Address of the public port'),
  PORT: port(8080).describe('The public port: the API and its reference page'),
  ADMIN_HOST: z.string().default('127.0.0.1').describe('Address of the admin port'),
  ADMIN_PORT: port(9090).describe('The admin port: /livez, /readyz, /metrics and the app API. Keep it private'),
  PUBLIC_URL: httpUrl.optional().describe('Base of every URL handed out; http://HOST:PORT unless set'),
  SECRET_KEY: z
    .string()
    .min(32, 'send at least 32 characters')
    .optional()
    .describe('Signs and encrypts what leaves the server; generated into DATA_DIR, required with DATABASE_URL'),
  APP_API_KEY: z
    .string()
    .min(32, 'send at least 32 characters')
    .regex(/^[\x21-\x7e]+$/, 'send letters, digits and signs of ASCII, without spaces')
    .optional()
    .describe('Turns on the app API of the admin port; what first-party apps authenticate with'),
  RATE_LIMIT_PER_MINUTE: count(LIMITS.requestsPerMinute).describe(
    'Requests a token may make in a minute; an address without a valid token gets ten times as many'
  ),
  RATE_LIMIT_PER_DAY: count(LIMITS.requestsPerDay).describe('Requests a token may make in a day'),
  TRUST_PROXY: proxies.describe(
    'Who may name the client in X-Forwarded-For: the number of proxies in front (such as 1, where nobody else reaches the port), or their addresses and networks (such as 10.0.0.0/8)'
  ),
  OPENAI_API_KEY: z.string().min(1).optional().describe('Turns on an OpenAI-compatible provider; without it everything is made offline'),
  OPENAI_BASE_URL: httpUrl.default('https://api.openai.com/v1').describe('The provider, up to and including /v1'),
  SUMMARY_MODEL: z.string().min(1).default('gpt-4.1-mini').describe('Writes summaries and action items'),
  EMBEDDING_MODEL: z.string().min(1).default('text-embedding-3-small').describe('Makes the vectors of search'),
  TRANSCRIPTION_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe('Writes transcripts of recordings, such as whisper-1; without it none are taken'),
  MEDIA_URL: mediaUrl
    .optional()
    .describe(
      "Keeps recordings in a bucket: `s3://bucket?region=…`, with `&endpoint=https://…` another server than Amazon's; credentials as the AWS tools read them (`AWS_ACCESS_KEY_ID`, …). Without it they are in DATA_DIR/media"
    ),
  WEBHOOK_ALLOW_HTTP: flag.describe('Whether webhooks may have http URLs; in production only with WEBHOOK_ALLOWED_CIDRS'),
  WEBHOOK_ALLOWED_CIDRS: cidrs.describe('Networks that webhooks may reach though they are not public, such as 10.0.0.0/8,::1/128'),
  SMTP_URL: smtpUrl.optional().describe('Where mails are handed in; without it they are written into `DATA_DIR/outbox`'),
  MAIL_FROM: mailbox.optional().describe('The sender of mails, such as `Parlance <parlance@example.com>`; required with SMTP_URL'),
  SEARCH_WAIT_MS: count(250).describe(
    'Milliseconds a search waits for the provider before it answers by words alone; the model in the package gets 2000'
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('Base of an OTLP/HTTP collector that is told of requests (traces); `OTEL_EXPORTER_OTLP_HEADERS` goes with them'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'send a number from 0 to 1')
    .transform(Number)
    .default(1)
    .describe('Of which part of the requests the collector is told, from 0 to 1'),
  WORKERS: z
    .string()
    .regex(/^([1-9]|[1-5]\d|6[0-4])$/, 'send a whole number from 1 to 64')
    .transform(Number)
    .default(1)
    .describe('Processes that share the public port, beside one for all else; more than 1 needs DATABASE_URL'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `send one of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .describe('How much is logged')
})
type Environment = z.output<typeof Environment>

export const SETTINGS = Environment.shape

export interface Config {
  /** `implied` where no setting names a database: the embedded one in the default folder. */
  database: { url: string | undefined; replicaUrl: string | undefined; dataDir: string; implied: boolean }
  public: { host: string; port: number; url: string | undefined; trustProxy: false | number | string[] }
  admin: { host: string; port: number }
  secretKey: string
  appApiKey: string | undefined
  rateLimits: { perMinute: number; perDay: number }
  openai:
    | { apiKey: string; baseUrl: string; summaryModel: string; embeddingModel: string; transcriptionModel: string | undefined }
    | undefined
  webhooks: { allowHttp: boolean; allowedCidrs: string[] }
  media: { folder: string } | BucketAddress
  mail: { smtpUrl: string | undefined; outbox: string; from: string }
  /** How long a search waits for the vector of its query. */
  searchWaitMs: number
  tracing: { endpoint: string; ratio: number } | undefined
  /** Processes that serve the public port; 1 is this one itself. */
  workers: number
  logLevel: Environment['LOG_LEVEL']
}

type Variables = Record<string, string | undefined>

/** Faults in the configuration, one line each. */
export class ConfigError extends Error {}

/**
 * Reads the configuration from the environment. Throws a ConfigError that lists every fault. A server creates the secret
 * beside the embedded database where there is none; a command, which needs none, leaves it empty.
 */
export function readConfig({ environment = process.env, create = false }: { environment?: Variables; create?: boolean } = {}): Config {
  const { data, error } = Environment.safeParse(given(environment))
  if (!data) throw new ConfigError(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'))
  if (data.TRANSCRIPTION_MODEL && !data.OPENAI_API_KEY) throw new ConfigError('TRANSCRIPTION_MODEL: needs OPENAI_API_KEY as well')
  if (data.WORKERS > 1 && !data.DATABASE_URL)
    throw new ConfigError('WORKERS: more than 1 needs DATABASE_URL; the embedded database is for one process')
  const hosts = [data.HOST, data.ADMIN_HOST]
  const overlap = hosts[0] === hosts[1] || hosts.includes('0.0.0.0') || hosts.includes('::')
  if (overlap && data.PORT === data.ADMIN_PORT && data.PORT !== 0)
    throw new ConfigError('ADMIN_PORT: is the PORT as well; choose another one')
  if (data.DATABASE_REPLICA_URL && !data.DATABASE_URL)
    throw new ConfigError('DATABASE_REPLICA_URL: needs DATABASE_URL, of which it is a replica')
  if (environment.NODE_ENV === 'production' && data.WEBHOOK_ALLOW_HTTP && !data.WEBHOOK_ALLOWED_CIDRS)
    throw new ConfigError('WEBHOOK_ALLOW_HTTP: refused in production without WEBHOOK_ALLOWED_CIDRS; name the networks that http may reach')
  const dataDir = resolve(data.DATA_DIR)
  if (!existsSync(dirname(dataDir)))
    throw new ConfigError(`DATA_DIR: there is no folder ${dirname(dataDir)} to create ${dataDir} in; create it, or correct DATA_DIR`)
  if (data.DATABASE_URL && !data.SECRET_KEY)
    throw new ConfigError('SECRET_KEY: required with DATABASE_URL; send at least 32 random characters, the same on every server')
  return {
    database: {
      url: data.DATABASE_URL,
      replicaUrl: data.DATABASE_REPLICA_URL,
      dataDir,
      implied: !data.DATABASE_URL && !given(environment).DATA_DIR
    },
    public: { host: data.HOST, port: data.PORT, url: data.PUBLIC_URL, trustProxy: data.TRUST_PROXY },
    admin: { host: data.ADMIN_HOST, port: data.ADMIN_PORT },
    secretKey: data.SECRET_KEY ?? storedSecret(dataDir, create) ?? '',
    appApiKey: data.APP_API_KEY,
    rateLimits: { perMinute: data.RATE_LIMIT_PER_MINUTE, perDay: data.RATE_LIMIT_PER_DAY },
    openai: data.OPENAI_API_KEY
      ? {
          apiKey: data.OPENAI_API_KEY,
          baseUrl: data.OPENAI_BASE_URL,
          summaryModel: data.SUMMARY_MODEL,
          embeddingModel: data.EMBEDDING_MODEL,
          transcriptionModel: data.TRANSCRIPTION_MODEL
        }
      : undefined,
    media: data.MEDIA_URL ?? { folder: join(dataDir, 'media') },
    webhooks: { allowHttp: data.WEBHOOK_ALLOW_HTTP, allowedCidrs: data.WEBHOOK_ALLOWED_CIDRS ?? [] },
    mail: { smtpUrl: data.SMTP_URL, outbox: join(dataDir, 'outbox'), from: sender(data) },
    // The model on this machine is never away: it may only be busy with an import.
    searchWaitMs: data.OPENAI_API_KEY ? data.SEARCH_WAIT_MS : 2_000,
    tracing: data.OTEL_EXPORTER_OTLP_ENDPOINT
      ? { endpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT, ratio: data.OTEL_TRACES_SAMPLER_ARG }
      : undefined,
    workers: data.WORKERS,
    logLevel: data.LOG_LEVEL
  }
}

/** What the demo leaves alone, since it is made for the server: its database, key, bucket and mail server. */
const NOT_OF_DEMO = ['DATABASE_URL', 'DATABASE_REPLICA_URL', 'SECRET_KEY', 'MEDIA_URL', 'SMTP_URL', 'MAIL_FROM', 'WORKERS']

/** Reads the configuration of the demo, which keeps to a folder of its own in DATA_DIR. */
export function readDemoConfig(environment: Variables = process.env) {
  const folder = environment.DATA_DIR || './data'
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = Object.entries(environment).filter(([key]) => !NOT_OF_DEMO.includes(key))
  return readConfig({ environment: { ...Object.fromEntries(own), DATA_DIR: join(folder, 'demo') }, create: true })
}

/** An empty value counts as not set. */
function given(environment: Variables) {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
}

/** Whom mails are from. A server would not take those of an address made up here. */
function sender({ SMTP_URL, MAIL_FROM }: Environment) {
  if (SMTP_URL && !MAIL_FROM) throw new ConfigError('MAIL_FROM: required with SMTP_URL; send an address that the mail server takes')
  return MAIL_FROM ?? 'Parlance <parlance@localhost>'
}

const SECRETS = new Set(['SECRET_KEY', 'APP_API_KEY', 'OPENAI_API_KEY'])

/** What was understood, for the operator: key and value, secrets masked. */
export function describeConfig(environment: Variables = process.env) {
  const { data } = Environment.safeParse(given(environment))
  return Object.entries(data ?? {}).map(([key, value]) => {
    const text = typeof value === 'object' ? String(environment[key]) : String(value)
    return { key, value: SECRETS.has(key) ? 'set' : maskPassword(text) }
  })
}

/** A URL without what lets somebody in. One that cannot be taken apart is still read for what stands before its last @. */
export function maskPassword(value: string) {
  const masked = value.replace(/^(\w+:\/\/)([^@/?#:]*)(?::.*)?@/s, (all, scheme: string, user: string) => {
    // Of a provider or a collector the name alone may be the key.
    return `${scheme}${/^http/.test(scheme) ? '***' : user}${all.includes(':', scheme.length) ? ':***' : ''}@`
  })
  return masked.replace(/([?&](?:ssl)?password=)[^&#]*/g, '$1***')
}
