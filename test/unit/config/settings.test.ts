import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/platform/config/config.ts'
import { origins, postgresUrl, proxies } from '../../../src/platform/config/settings.ts'
import { OperatorError } from '../../../src/platform/core/operator-error.ts'
import { mailsLinks } from '../../../src/server/compose.ts'

test.each([
  [undefined, false],
  ['false', false],
  ['0', false],
  ['1', 1],
  ['2', 2],
  ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ['2001:db8::/32', ['2001:db8::/32']]
])('TRUST_PROXY=%s is read as %j', (text, trusted) => {
  expect(proxies.parse(text)).toEqual(trusted)
})

test.each(['true', 'yes', '-1', '1.5', '100', 'proxy.internal', '10.0.0.0/33', '10.0.0.0/8,', 'loopback'])(
  'TRUST_PROXY=%s is refused',
  text => {
    expect(proxies.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
      'the number of proxies in front, such as 1, or their addresses and networks, such as 10.0.0.0/8,::1'
    ])
  }
)

test.each([
  'postgres://one:5432,two:5432/parlance',
  'postgresql://parlance:secret@one,two/parlance?target_session_attrs=read-write',
  'postgres://parlance:se%2Ccret@one:5432,two:5433/parlance'
])('DATABASE_URL=%s names several hosts, which is refused with what to name instead', url => {
  expect(postgresUrl.safeParse(url).error?.issues.map(({ message }) => message)).toEqual([
    'names several hosts; name one address that leads to the primary server, such as that of HAProxy'
  ])
})

test.each(['postgres://parlance:a,b@one/parlance', 'postgres:///parlance?host=/var/run/a,b', 'postgres://one/a,b'])(
  'a comma elsewhere in DATABASE_URL=%s is no list of hosts',
  url => expect(postgresUrl.safeParse(url).success).toBe(true)
)

test.each([
  [{ PORT: '99999' }, 'PORT: set a port number from 0 to 65535'],
  [{ DRAIN_SECONDS: '301' }, 'DRAIN_SECONDS: set a number of seconds from 0 to 300'],
  [{ KEEP_ALIVE_SECONDS: '0' }, 'KEEP_ALIVE_SECONDS: set a number of seconds above 0'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: set one of fatal, error, warn, info, debug, trace, silent'],
  [{ REUSE_PORT: 'true' }, 'REUSE_PORT: needs DATABASE_URL; the embedded database is for one server'],
  [{ HOST: '0.0.0.0', PORT: '9090' }, 'ADMIN_PORT: is the PORT as well; choose another one'],
  [
    { EMBEDDING_BASE_URL: 'http://127.0.0.1:8081/v1' },
    'EMBEDDING_MODEL: required with EMBEDDING_BASE_URL; set the name of the model that the server has'
  ],
  [{ SMTP_URL: 'smtp://ada:100%@mail.example' }, 'SMTP_URL: set smtp://user:password@host:587 or smtps://…'],
  [
    { OIDC_ISSUER: 'https://id.example.com' },
    'OIDC_CLIENT_ID: required with OIDC_ISSUER; set the id of this server at the provider'
  ],
  [
    { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'parlance' },
    'OIDC_CLIENT_SECRET: required with OIDC_ISSUER; set the secret of that id'
  ],
  [
    { OIDC_CLIENT_ID: 'parlance' },
    'OIDC_ISSUER: required with OIDC_CLIENT_ID; set the URL that the provider calls itself'
  ],
  [{ SMTP_URL: 'smtp://mail.example' }, 'MAIL_FROM: required with SMTP_URL; set an address that the mail server takes'],
  [
    { HTTPS_PROXY: 'proxy.example:3128' },
    'HTTPS_PROXY: set a URL such as http://proxy.example:3128, with the user and password percent-encoded'
  ],
  [{ HTTP_PROXY: 'socks5://proxy.example' }, /^HTTP_PROXY: set a URL such as http:/],
  [{ https_proxy: 'http://proxy.example/path' }, /^HTTPS_PROXY: set a URL such as http:/],
  [{ HTTPS_PROXY: 'http://ada:100%@proxy.example' }, /^HTTPS_PROXY: set a URL such as http:/],
  [
    { OUTBOUND_CLIENT_CERT: 'a' },
    'OUTBOUND_CLIENT_KEY: required with OUTBOUND_CLIENT_CERT; set the key of that certificate'
  ],
  [
    { OUTBOUND_CLIENT_KEY: 'a' },
    'OUTBOUND_CLIENT_CERT: required with OUTBOUND_CLIENT_KEY; set the certificate of that key'
  ],
  [
    { OUTBOUND_CLIENT_CERT: 'a', OUTBOUND_CLIENT_KEY: 'b' },
    'OUTBOUND_CLIENT_KEY: is not the key of OUTBOUND_CLIENT_CERT, or one of them is no PEM without a password'
  ],
  [
    { MEDIA_URL: 's3://bucket', AWS_ACCESS_KEY_ID: 'a' },
    "AWS_SECRET_ACCESS_KEY: required with AWS_ACCESS_KEY_ID; set both of the bucket's access key"
  ],
  [
    { MEDIA_URL: 's3://bucket', AWS_SECRET_ACCESS_KEY: 'a' },
    "AWS_ACCESS_KEY_ID: required with AWS_SECRET_ACCESS_KEY; set both of the bucket's access key"
  ],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'authorization: Bearer' }, /^OTEL_EXPORTER_OTLP_HEADERS: set pairs such as /],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=b%0d%0Ac' }, /^OTEL_EXPORTER_OTLP_HEADERS: set pairs such as /],
  [{ NO_PROXY: '10.0.0.0/64' }, 'NO_PROXY: set hosts and networks such as localhost,.example.com,10.0.0.0/8'],
  [{ NO_PROXY: 'https://example.com/' }, /^NO_PROXY: set hosts/],
  [{ MEDIA_URL: 's3://my_bucket' }, /^MEDIA_URL: set s3:.* lower-case letters, digits, dots and hyphens$/],
  [
    { MEDIA_URL: 's3://bucket?regoin=eu' },
    'MEDIA_URL: has no parameter regoin; set region, endpoint, public_endpoint and style'
  ],
  [
    { MEDIA_URL: 's3://bucket?public_endpoint=https://s3.example' },
    'MEDIA_URL: has a public_endpoint alone; set endpoint beside it'
  ],
  [{ MEDIA_URL: 's3://bucket?style=host' }, 'MEDIA_URL: set path or virtual as the style'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'team' }, /^OTEL_RESOURCE_ATTRIBUTES: set pairs such as /],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'team=100%' }, /^OTEL_RESOURCE_ATTRIBUTES: set pairs such as /],
  [{ DATABASE_URL: 'postgres://127.0.0.1:99999/x' }, /^DATABASE_URL: set a URL such as postgres:/],
  [{ DATABASE_URL: 'postgres://ada:7/hush@127.0.0.1/x' }, /^DATABASE_URL: .* with \/ \? # @ of the password encoded$/],
  [{ DATABASE_URL: 'postgres://127.0.0.1/x' }, /^SECRET_KEY: required with DATABASE_URL[^\n]*$/]
])('%j cannot be used, which is one sentence that names the setting', (settings, sentence) => {
  const read = () => readConfig({ environment: { SECRET_KEY: '', DATA_DIR: tmpdir(), ...settings } })
  expect(read).toThrow(OperatorError)
  expect(read).toThrow(sentence)
})

const PREFIXES = { query: undefined, passage: undefined }
const OPENAI = {
  kind: 'provider',
  baseUrl: 'https://api.openai.com/v1',
  settings: 'OPENAI',
  apiKey: 'sk',
  prefixes: PREFIXES
}
const APART = { ...OPENAI, settings: 'EMBEDDING', apiKey: 'key' }

test.each([
  [{}, { kind: 'bundled' }],
  [{ EMBEDDING_MODEL: 'none', OPENAI_API_KEY: 'sk' }, { kind: 'none' }],
  [{ EMBEDDING_MODEL: 'bundled', OPENAI_API_KEY: 'sk' }, { kind: 'bundled' }],
  [{ EMBEDDING_MODEL: '/models/e5' }, { kind: 'folder', folder: '/models/e5', prefixes: PREFIXES }],
  [{ EMBEDDING_MODEL: '~/e5' }, { kind: 'folder', folder: join(homedir(), 'e5'), prefixes: PREFIXES }],
  [
    { EMBEDDING_MODEL: './e5', OPENAI_API_KEY: 'sk' },
    { kind: 'folder', folder: resolve('e5'), prefixes: PREFIXES }
  ],
  [{ OPENAI_API_KEY: 'sk' }, { ...OPENAI, model: 'text-embedding-3-small' }],
  [
    { OPENAI_API_KEY: 'sk', EMBEDDING_MODEL: 'intfloat/e5' },
    { ...OPENAI, model: 'intfloat/e5' }
  ],
  [{ EMBEDDING_API_KEY: 'key' }, { ...APART, model: 'text-embedding-3-small' }],
  [
    { EMBEDDING_API_KEY: 'key', OPENAI_API_KEY: 'sk', EMBEDDING_MODEL: 'e5' },
    { ...APART, model: 'e5' }
  ],
  [
    {
      EMBEDDING_BASE_URL: 'http://127.0.0.1:8081/v1/',
      OPENAI_API_KEY: 'sk',
      EMBEDDING_MODEL: 'e5',
      EMBEDDING_QUERY_PREFIX: 'query: '
    },
    {
      ...APART,
      apiKey: undefined,
      baseUrl: 'http://127.0.0.1:8081/v1',
      model: 'e5',
      prefixes: { ...PREFIXES, query: 'query: ' }
    }
  ]
])('%j chooses what computes embeddings', (settings, embedder) => {
  expect(readConfig({ environment: { SECRET_KEY: '', DATA_DIR: tmpdir(), ...settings } }).embedder).toEqual(embedder)
})

test('assistants have a minute limit of their own, and redirects into the local network are off', () => {
  const of = (settings: Record<string, string>) => {
    const { rateLimits, oauth } = readConfig({ environment: { SECRET_KEY: '', DATA_DIR: tmpdir(), ...settings } })
    return { rateLimits, oauth }
  }
  expect(of({})).toEqual({
    rateLimits: { perMinute: 60, perDay: 10_000, assistantsPerMinute: 300 },
    oauth: { advertisesDocuments: true, lanRedirects: false }
  })
  const set = { RATE_LIMIT_ASSISTANT_PER_MINUTE: '500', OAUTH_LAN_REDIRECTS: 'on', OAUTH_CLIENT_DOCUMENTS: 'off' }
  expect(of(set)).toEqual({
    rateLimits: { perMinute: 60, perDay: 10_000, assistantsPerMinute: 500 },
    oauth: { advertisesDocuments: false, lanRedirects: true }
  })
  expect(() => of({ OAUTH_LAN_REDIRECTS: 'yes' })).toThrow('OAUTH_LAN_REDIRECTS: set on or off')
})

test('CORS_ORIGINS takes origins of web pages, apps and extensions', () => {
  const list = 'https://app.example.com,app://obsidian.md,capacitor://localhost,chrome-extension://abcdefgh'
  expect(origins.parse(list)).toEqual(list.split(','))
})

test.each(['https://app.example.com/', 'app.example.com', '*', 'app://obsidian.md/path', 'null'])(
  'CORS_ORIGINS=%s is refused',
  text => {
    expect(origins.safeParse(text).success).toBe(false)
  }
)

test.each([
  [{}, { 'service.name': 'parlance' }],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=notes, team=a%2Cb' }, { 'service.name': 'notes', team: 'a,b' }],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=notes', OTEL_SERVICE_NAME: 'talks' }, { 'service.name': 'talks' }]
])('traces of %j name the service', (settings, attributes) => {
  const environment = { DATA_DIR: tmpdir(), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', ...settings }
  expect(readConfig({ environment }).tracing?.attributes).toEqual(attributes)
})

test('the proxies are also read in lower case, which counts where both are set, as other programs do', () => {
  const lower = {
    https_proxy: 'http://a.example',
    http_proxy: 'http://b.example:3128',
    no_proxy: 'a.test, b.test c.test'
  }
  const upper = { HTTPS_PROXY: 'http://c.example', HTTP_PROXY: '', NO_PROXY: '*' }
  const expected = { http: 'http://b.example:3128', https: 'http://a.example', except: ['a.test', 'b.test', 'c.test'] }
  const proxiesOf = (environment: Record<string, string>) =>
    readConfig({ environment: { DATA_DIR: tmpdir(), ...environment } })
  for (const config of [proxiesOf(lower), proxiesOf({ ...upper, ...lower })]) {
    expect(config.outbound.proxies).toEqual(expected)
  }
  expect(proxiesOf({}).outbound.proxies).toEqual({ http: undefined, https: undefined, except: [] })
})

test.each([
  'id.example.com',
  'http://id.example.com',
  'https://id.example.com/.well-known/openid-configuration',
  'https://id.example.com?x',
  'https://user:password@id.example.com',
  'http://localhost.example.com'
])('OIDC_ISSUER=%s is refused', OIDC_ISSUER => {
  expect(() => readConfig({ environment: { OIDC_ISSUER } })).toThrow(
    'OIDC_ISSUER: set the https URL that the provider calls itself, without /.well-known/…; http only for a provider on this machine'
  )
})

test.each(['@example.com', '*.example.com', '.example.com', 'example', 'a.com,,b.com', 'a.com b.com', 'https://a.com'])(
  'OIDC_ALLOWED_DOMAINS=%s is refused',
  OIDC_ALLOWED_DOMAINS => {
    expect(() => readConfig({ environment: { OIDC_ALLOWED_DOMAINS } })).toThrow(
      'OIDC_ALLOWED_DOMAINS: set whole domains such as example.com,example.org'
    )
  }
)

test('the settings of a provider are its issuer as it stands, a name, and domains in one form', () => {
  const environment = {
    OIDC_ISSUER: 'https://id.example.com/realms/main/',
    OIDC_CLIENT_ID: 'parlance',
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_ALLOWED_DOMAINS: 'Example.COM, bücher.example'
  }
  expect(readConfig({ environment }).oidc).toEqual({
    issuer: 'https://id.example.com/realms/main/',
    clientId: 'parlance',
    clientSecret: 'secret',
    name: 'id.example.com',
    allowedDomains: ['example.com', 'xn--bcher-kva.example']
  })
  expect(readConfig({ environment: { ...environment, OIDC_NAME: 'Example Inc.' } }).oidc?.name).toBe('Example Inc.')
  expect(readConfig({ environment: {} }).oidc).toBeUndefined()
})

test.each([
  [{}, true],
  [{ SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a@example.com' }, true]
])('without a provider people sign in by mailed links, with %j', (environment, expected) => {
  expect(mailsLinks(readConfig({ environment }))).toBe(expected)
})

test.each([
  [{}, false],
  [{ SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a@example.com' }, true]
])('with a provider people sign in by mailed links where there is a mail server: %j', (mail, expected) => {
  const environment = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y', ...mail }
  expect(mailsLinks(readConfig({ environment }))).toBe(expected)
})
