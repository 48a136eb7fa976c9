import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { LIMITS } from './contract/limits.ts'

const port = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, 'send a port number from 0 to 65535')
    .transform(Number)
    .pipe(z.int().max(65_535))
    .default(fallback)
const count = (fallback: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'send a whole number from 1')
    .transform(Number)
    .default(fallback)
const flag = z
  .enum(['true', 'false', '1', '0'], 'send true or false')
  .transform(value => value === 'true' || value === '1')
  .default(false)
const cidrs = z
  .string()
  .transform(text => text.split(',').map(cidr => cidr.trim()))
  .refine(list => list.every(cidr => ipaddr.isValidCIDR(cidr)), 'send networks such as 10.0.0.0/8,::1/128')
  .optional()
const mailbox = z
  .string()
  .regex(/^(?:[^<>@\p{Cc}"]*<[^\s<>@"]+@[^\s<>@"]+>|[^\s<>@"]+@[^\s<>@"]+)$/u, 'send an address such as Parlance <parlance@example.com>')
const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, 'send a postgres:// URL')
const httpUrl = z.url({ protocol: /^https?$/, error: 'send an http or https URL' }).transform(url => url.replace(/\/+$/, ''))

const mediaUrl = z.string().transform((text, context) => {
  const read = readMediaUrl(text)
  if (typeof read !== 'string') return read
  context.addIssue({ code: 'custom', message: read })
  return z.NEVER
})

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
    'Requests a token may make in a minute, and an address without a valid token'
  ),
  RATE_LIMIT_PER_DAY: count(LIMITS.requestsPerDay).describe('Requests a token may make in a day'),
  TRUST_PROXY: flag.describe('Whether a reverse proxy in front names the client in X-Forwarded-For'),
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
  SMTP_URL: z
    .string()
    .refine(url => /^smtps?:\/\/./.test(url) && URL.canParse(url), 'send smtp://user:password@host:587 or smtps://…')
    .optional()
    .describe('Where mails are handed in; without it they are written into `DATA_DIR/outbox`'),
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
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').describe('How much is logged')
})
type Environment = z.output<typeof Environment>

export const SETTINGS = Environment.shape

export interface Config {
  database: { url: string | undefined; replicaUrl: string | undefined; dataDir: string }
  public: { host: string; port: number; url: string | undefined; trustProxy: boolean }
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

/** Faults in the configuration, one line each. */
export class ConfigError extends Error {}

/** Reads the configuration from the environment. Throws a ConfigError that lists every fault. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const { data, error } = Environment.safeParse(given(environment))
  if (!data) throw new ConfigError(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'))
  if (data.TRANSCRIPTION_MODEL && !data.OPENAI_API_KEY) throw new ConfigError('TRANSCRIPTION_MODEL: needs OPENAI_API_KEY as well')
  if (data.WORKERS > 1 && !data.DATABASE_URL)
    throw new ConfigError('WORKERS: more than 1 needs DATABASE_URL; the embedded database is for one process')
  if (data.DATABASE_REPLICA_URL && !data.DATABASE_URL)
    throw new ConfigError('DATABASE_REPLICA_URL: needs DATABASE_URL, of which it is a replica')
  if (environment.NODE_ENV === 'production' && data.WEBHOOK_ALLOW_HTTP && !data.WEBHOOK_ALLOWED_CIDRS)
    throw new ConfigError('WEBHOOK_ALLOW_HTTP: refused in production without WEBHOOK_ALLOWED_CIDRS; name the networks that http may reach')
  return {
    database: { url: data.DATABASE_URL, replicaUrl: data.DATABASE_REPLICA_URL, dataDir: resolve(data.DATA_DIR) },
    public: { host: data.HOST, port: data.PORT, url: data.PUBLIC_URL, trustProxy: data.TRUST_PROXY },
    admin: { host: data.ADMIN_HOST, port: data.ADMIN_PORT },
    secretKey: data.SECRET_KEY ?? storedSecret(data),
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
    media: data.MEDIA_URL ?? { folder: join(resolve(data.DATA_DIR), 'media') },
    webhooks: { allowHttp: data.WEBHOOK_ALLOW_HTTP, allowedCidrs: data.WEBHOOK_ALLOWED_CIDRS ?? [] },
    mail: { smtpUrl: data.SMTP_URL, outbox: join(resolve(data.DATA_DIR), 'outbox'), from: sender(data) },
    // The model on this machine is never away: it may only be busy with an import.
    searchWaitMs: data.OPENAI_API_KEY ? data.SEARCH_WAIT_MS : 2_000,
    tracing: data.OTEL_EXPORTER_OTLP_ENDPOINT
      ? { endpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT, ratio: data.OTEL_TRACES_SAMPLER_ARG }
      : undefined,
    workers: data.WORKERS,
    logLevel: data.LOG_LEVEL
  }
}

export interface BucketAddress {
  bucket: string
  /** Stands before every key; empty, or with a slash at its end. */
  prefix: string
  region: string
  endpoint: string | undefined
}

/** The bucket, or what is wrong with its address. */
function readMediaUrl(text: string): BucketAddress | string {
  if (!/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]([/?]|$)/.test(text) || !URL.canParse(text)) return 'send s3://bucket?region=…&endpoint=…'
  const { host, pathname, searchParams } = new URL(text)
  const unknown = [...searchParams.keys()].find(name => name !== 'region' && name !== 'endpoint')
  if (unknown !== undefined) return `has no parameter ${unknown}; send region and endpoint`
  const [region = 'us-east-1', endpoint] = [searchParams.get('region') || undefined, searchParams.get('endpoint') || undefined]
  if (endpoint !== undefined && !httpUrl.safeParse(endpoint).success) return 'send an http or https URL as the endpoint'
  const path = pathname.replace(/^\/+|\/+$/g, '')
  return { bucket: host, prefix: path && `${path}/`, region, endpoint }
}

/** An empty value counts as not set. */
function given(environment: Record<string, string | undefined>) {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
}

/** Whom mails are from. A server would not take those of an address made up here. */
function sender({ SMTP_URL, MAIL_FROM }: Environment) {
  if (SMTP_URL && !MAIL_FROM) throw new ConfigError('MAIL_FROM: required with SMTP_URL; send an address that the mail server takes')
  return MAIL_FROM ?? 'Parlance <parlance@localhost>'
}

/** The secret beside the embedded database, made on first use. */
function storedSecret({ DATABASE_URL, DATA_DIR }: Environment) {
  if (DATABASE_URL)
    throw new ConfigError('SECRET_KEY: required with DATABASE_URL; send at least 32 random characters, the same on every server')
  const file = join(DATA_DIR, 'secret.key')
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
  try {
    // Fails where the file exists, so that of two processes starting at once both use the first one's.
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (fault) {
    if (!(fault instanceof Error && 'code' in fault && fault.code === 'EEXIST')) throw fault
  }
  return readFileSync(file, 'utf8')
}

const SECRETS = new Set(['SECRET_KEY', 'APP_API_KEY', 'OPENAI_API_KEY'])

/** What was understood, for the operator: key and value, secrets masked. */
export function describeConfig(environment: Record<string, string | undefined> = process.env) {
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
