import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { SIGN_UP } from '../../contract/sign-in.ts'
import { EMBEDDING_SETTINGS } from './embedding-settings.ts'
import { mediaUrl } from './media-url.ts'
import { OAUTH_SETTINGS } from './oauth-settings.ts'
import { OIDC_SETTINGS } from './oidc-settings.ts'
import { PROVIDER_SETTINGS } from './provider-settings.ts'
import { KEYS, readVariables } from './secret-files.ts'
import {
  booleanSetting,
  cidrs,
  count,
  days,
  headers,
  hostNames,
  httpUrl,
  mailbox,
  noProxy,
  origins,
  port,
  postgresUrl,
  proxies,
  proxyUrl,
  quota,
  resourceAttributes,
  seconds,
  smtpUrl
} from './settings.ts'
import { MIN_SECRET_LENGTH } from './stored-secret.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Every setting, in the order of the guide's table. The key is the environment variable. */
export const Environment = z.object({
  DATABASE_URL: postgresUrl
    .optional()
    .describe('PostgreSQL 15 or newer with pgvector. Without it the server uses its embedded database'),
  DATABASE_REPLICA_URL: postgresUrl
    .optional()
    .describe('Streaming replica of `DATABASE_URL`, which searches read their candidates from'),
  DATA_DIR: z
    .string()
    .default('./data')
    .describe('Folder of the embedded database, the recordings and the generated secret'),
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address of the public port; `0.0.0.0` to be reachable from other machines'),
  PORT: port(8080).describe('Public port: the API, its reference page and the guides'),
  REUSE_PORT: booleanSetting.describe(
    'Lets several servers on this machine listen on the same `PORT`, each with its own `ADMIN_PORT`. Needs `DATABASE_URL`'
  ),
  ADMIN_HOST: z.string().default('127.0.0.1').describe('Address of the admin port'),
  ADMIN_HOST_NAMES: hostNames
    .optional()
    .describe(
      'Names with a dot under which the admin port is reached, separated by commas, such as `admin.example.com`. It refuses others in `Host`, except on `/livez` and `/readyz`; addresses, names without a dot and private ones such as `parlance.default.svc` need no entry'
    ),
  ADMIN_PORT: port(9090).describe('Admin port: `/livez`, `/readyz`, `/metrics` and the admin API. Keep it private'),
  PUBLIC_URL: httpUrl
    .refine(url => !/[?#]/.test(url), 'a URL without ? and #')
    .optional()
    .describe(
      'Base of every URL that leaves the server, such as `https://example.com/parlance`; `http://HOST:PORT` unless set'
    ),
  SECRET_KEY: z
    .string()
    .min(MIN_SECRET_LENGTH, 'at least 32 characters')
    .optional()
    .describe(
      'Signs links and encrypts webhook secrets at rest, 32 characters or more (`openssl rand -hex 32`). Required with `DATABASE_URL`; otherwise generated into `DATA_DIR`'
    ),
  APP_API_KEY: z
    .string()
    .min(32, 'at least 32 characters')
    .regex(/^[\x21-\x7e]+$/, 'letters, digits and signs of ASCII, without spaces')
    .optional()
    .describe('Key of the admin API, 32 characters or more. Without it the admin API is off'),
  DRAIN_SECONDS: seconds(1.5, 300).describe(
    'Seconds that a stopping server keeps answering after `/readyz` turns to 503, until balancers send it no more requests. It may take 35 seconds more to stop'
  ),
  KEEP_ALIVE_SECONDS: seconds(72, 3_600)
    .refine(value => value > 0, 'a number of seconds above 0')
    .describe('Seconds that an idle connection stays open. Set more than the idle timeout of your proxy or balancer'),
  RATE_LIMIT_PER_MINUTE: count(LIMITS.requestsPerMinute).describe(
    'Requests of a token in a minute; a client address without a valid token gets ten times as many'
  ),
  RATE_LIMIT_ASSISTANT_PER_MINUTE: count(LIMITS.assistantsPerMinute).describe(
    'Requests of a token in a minute up to which `/mcp` answers, where assistants call'
  ),
  RATE_LIMIT_PER_DAY: count(LIMITS.requestsPerDay).describe('Requests of a token in a day'),
  QUOTA_STORED_GIB: quota(LIMITS.quotas.bytes_stored / 1024 ** 3).describe(
    "GiB of a user's stored recordings and transcripts. For each quota 0 is no limit, and the operator may set another limit for a user"
  ),
  QUOTA_SESSIONS_PER_DAY: quota(LIMITS.quotas.sessions_per_day).describe('Sessions that a user creates in a UTC day'),
  QUOTA_FOLDERS: quota(LIMITS.quotas.folders).describe('Folders of a user'),
  QUOTA_PEOPLE: quota(LIMITS.quotas.people).describe('People of a user'),
  DISK_RESERVE_MIB: z
    .string()
    .regex(/^\d{1,9}$/, 'a whole number of MiB, or 0 for none')
    .transform(Number)
    .optional()
    .describe(
      'MiB of a disk that uploads and recordings leave free for the database and its log; an upload that would leave less is refused. 0 is none. Unless set it is 1024, or a tenth of a disk below 10 GiB'
    ),
  RETENTION_AUDIO_DAYS: days.describe(
    'Days after which recordings are deleted, with transcripts and summaries kept. For ever unless set'
  ),
  RETENTION_SESSION_DAYS: days.describe('Days after which sessions are deleted for good. For ever unless set'),
  TRUST_PROXY: proxies.describe(
    'Proxies whose `X-Forwarded-For` counts: their number (such as 1, where nobody else reaches the port), or their addresses and networks (such as `10.0.0.0/8`)'
  ),
  CORS_ORIGINS: origins.describe(
    'Origins whose pages may call the API from a browser (CORS), separated by commas, such as `https://app.example.com`. None unless set'
  ),
  ...OAUTH_SETTINGS,
  ...PROVIDER_SETTINGS,
  ...EMBEDDING_SETTINGS,
  MEDIA_URL: mediaUrl
    .optional()
    .describe(
      "Bucket for recordings: `s3://bucket?region=…`, with `&endpoint=https://…` for a server other than Amazon's, `&public_endpoint=https://…` if clients reach that by another URL, and `&style=virtual` if the bucket belongs into its host name. Without it they are in `DATA_DIR/media`"
    ),
  AWS_ACCESS_KEY_ID: z
    .string()
    .optional()
    .describe('Access key of the bucket. Unless set, the AWS client looks for credentials by itself, as of a role'),
  AWS_SECRET_ACCESS_KEY: z.string().optional().describe('Its secret. Required with `AWS_ACCESS_KEY_ID`'),
  AWS_SESSION_TOKEN: z.string().optional().describe('Its session token, if the access key is a temporary one'),
  WEBHOOK_ALLOW_HTTP: booleanSetting.describe(
    'Allows webhooks with http URLs; in production only with `WEBHOOK_ALLOWED_CIDRS`'
  ),
  WEBHOOK_ALLOWED_CIDRS: cidrs.describe('Private networks that webhooks may reach, such as `10.0.0.0/8,::1/128`'),
  OUTBOUND_CLIENT_CERT: z
    .string()
    .optional()
    .describe(
      'Client certificate as PEM, for receivers of webhooks, providers, bucket and collector that ask for one. Its file is `OUTBOUND_CLIENT_CERT_FILE`'
    ),
  OUTBOUND_CLIENT_KEY: z.string().optional().describe('Its private key as PEM, or `OUTBOUND_CLIENT_KEY_FILE`'),
  HTTPS_PROXY: proxyUrl
    .optional()
    .describe(
      'Proxy for https URLs of webhooks, providers, bucket and collector, such as `http://user:password@proxy.example:3128`. It must allow CONNECT'
    ),
  HTTP_PROXY: proxyUrl.optional().describe('Proxy for their http URLs, by CONNECT as well: `http://user:password@…`'),
  NO_PROXY: noProxy.describe(
    'Hosts that are reached without a proxy, separated by commas: `example.com` with its subdomains, `10.0.0.0/8` for addresses in URLs, `host:8080`, `*`. This machine always is'
  ),
  SMTP_URL: smtpUrl
    .optional()
    .describe(
      'Mail server, `smtp://user:password@host:587` or `smtps://…`. Without it mails are written into `DATA_DIR/outbox`'
    ),
  MAIL_FROM: mailbox
    .optional()
    .describe('Sender of mails, such as `Parlance <parlance@example.com>`. Required with `SMTP_URL`'),
  SIGN_UP: z
    .enum(SIGN_UP, `one of ${SIGN_UP.join(', ')}`)
    .default('invited')
    .describe(
      'Who becomes a user by signing in to the console: nobody (`closed`), mailboxes that accepted an invite (`invited`), or everyone (`open`)'
    ),
  ...OIDC_SETTINGS,
  SEARCH_WAIT_MS: count(250).describe(
    'Milliseconds a search waits for the query embedding of a provider before it answers by terms alone; a model on this machine gets 2000'
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('Base URL of an OpenTelemetry collector (OTLP/HTTP) for traces of requests'),
  OTEL_EXPORTER_OTLP_HEADERS: headers.describe(
    'Headers for the collector, separated by commas and percent-encoded, such as `authorization=Bearer%20…`'
  ),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .describe('Name of the service in traces; `service.name` of the attributes, or `parlance`, unless set'),
  OTEL_RESOURCE_ATTRIBUTES: resourceAttributes.describe(
    'Attributes of the service in traces, separated by commas, such as `service.namespace=notes`'
  ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'a number from 0 to 1')
    .transform(Number)
    .default(1)
    .describe('Fraction of the requests that are traced, from 0 to 1'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .describe('Least severe level that is logged: fatal, error, warn, info, debug, trace or silent')
})
export type Environment = z.output<typeof Environment>

export const SETTINGS = Environment.shape

/** The setting without which the default of another is not used. */
const NEEDED: Readonly<Record<string, string>> = {
  OPENAI_BASE_URL: 'OPENAI_API_KEY',
  SUMMARY_MODEL: 'OPENAI_API_KEY',
  TRANSCRIPTION_SPEAKERS: 'TRANSCRIPTION_MODEL',
  TRANSCRIPTION_MAX_BYTES: 'TRANSCRIPTION_MODEL',
  OTEL_TRACES_SAMPLER_ARG: 'OTEL_EXPORTER_OTLP_ENDPOINT'
}

/** The configuration as understood, with secrets masked, and without the defaults that nothing uses. */
export function describeConfig() {
  const { variables } = readVariables(process.env)
  const { data } = Environment.safeParse(variables)
  const isUsed = (key: string) => {
    const needed = NEEDED[key]
    return needed === undefined || variables[key] !== undefined || variables[needed] !== undefined
  }
  const used = Object.entries(data ?? {}).filter(([key]) => isUsed(key))
  return used.map(([key, value]) => {
    const text = typeof value === 'object' ? String(variables[key]) : String(value)
    return { key, value: KEYS.includes(key) ? 'set' : maskPassword(text) }
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
