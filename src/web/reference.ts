import { hash, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { once } from './once.ts'
import { refuseReader } from './refuse-reader.ts'

/** A placeholder in the rendered page for the nonce, which is new for each answer. */
const NONCE = 'nonce-of-this-answer'

const CONFIGURATION = {
  url: '/v1/openapi.json',
  pageTitle: 'Parlance API reference',
  nonce: NONCE,
  proxyUrl: '',
  telemetry: false,
  defaultOpenAllTags: true,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  authentication: { preferredSecurityScheme: 'token' },
  agent: { disabled: true },
  mcp: { disabled: true }
} as const

interface Reference {
  html: string
  script: Buffer
  /** The script's ETag. */
  version: string
}

const SCRIPT = 'js/scalar.js'
const [brotli, gzip] = [promisify(zlib.brotliCompress), promisify(zlib.gzip)]
/** The next better level takes twenty times as long and saves a tenth. */
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 } }

/**
 * The reference page at `/docs`. Scalar 1.72 would load fonts, call its agent service and send trial requests with their tokens through its
 * own proxy. The options switch each of these off, and the content security policy blocks them as well.
 */
export async function referenceRoutes(app: FastifyInstance) {
  const reference = once(makeReference)
  const encoded = {
    br: once(async () => await brotli((await reference()).script, BROTLI)),
    gzip: once(async () => await gzip((await reference()).script))
  }
  const options = { config: { scopes: 'public' }, schema: { hide: true }, errorHandler: refuseReader } as const

  app.get('/docs', options, async (_request, reply) => reply.redirect('docs/', 301))

  app.get('/docs/', options, async (_request, reply) => {
    const { html } = await reference()
    const nonce = randomBytes(16).toString('base64')
    reply.header('content-security-policy', policy(nonce)).header('referrer-policy', 'no-referrer')
    return reply.type('text/html; charset=utf-8').send(html.replaceAll(NONCE, nonce))
  })

  app.get<{ Querystring: { v?: unknown } }>(`/docs/${SCRIPT}`, options, async ({ headers, query: { v } }, reply) => {
    const { script, version } = await reference()
    const encoding = (['br', 'gzip'] as const).find(one => accepts(headers['accept-encoding'], one))
    const etag = `"${version}${encoding ? `-${encoding}` : ''}"`
    reply.headers({ etag, vary: 'accept-encoding', 'cache-control': v === version ? 'public, max-age=31536000, immutable' : 'no-cache' })
    if (headers['if-none-match'] === etag) return reply.code(304).send()
    if (encoding) reply.header('content-encoding', encoding)
    return reply.type('text/javascript; charset=utf-8').send(encoding ? await encoded[encoding]() : script)
  })
}

function accepts(header: string | string[] | undefined, encoding: string) {
  const named = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map(one => one.split(';').map(part => part.trim()))
  return named.some(([name, quality = '']) => name === encoding && !/^q=0(\.0*)?$/.test(quality))
}

/** Scalar's module holds its script in memory, so it is loaded on the first visit. */
async function makeReference(): Promise<Reference> {
  const [{ fastify }, { default: scalar }] = await Promise.all([import('fastify'), import('@scalar/fastify-api-reference')])
  const page = fastify()
  await page.register(scalar, { routePrefix: '/docs', configuration: CONFIGURATION })
  const [{ body }, { rawPayload: script }] = [await page.inject('/docs/'), await page.inject(`/docs/${SCRIPT}`)]
  await page.close()
  const version = hash('sha256', script, 'base64url').slice(0, 16)
  // A page without an icon makes the browser request /favicon.ico.
  const html = body.replace('<head>', '<head><link rel="icon" href="data:,">').replace(`"${SCRIPT}"`, `"${SCRIPT}?v=${version}"`)
  return { html, script, version }
}

function policy(nonce: string) {
  return [
    "default-src 'none'",
    "connect-src 'self'",
    "font-src 'self' data:",
    "img-src 'self' data:",
    "style-src 'self' 'unsafe-inline'",
    `script-src 'self' 'nonce-${nonce}'`,
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join('; ')
}
