import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { lazy } from '../../platform/core/lazy.ts'
import { FOREVER } from '../web/assets.ts'
import { compressedFile, versionOf } from '../web/compressed-file.ts'
import { PUBLIC_FILE } from '../web/public-file.ts'

/** A placeholder in the rendered page for the nonce, which is new for each answer. */
const NONCE = 'nonce-of-this-answer'

const CONFIGURATION = {
  url: '../openapi.json',
  pageTitle: 'Try the Parlance API',
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

/** The page that a browser without scripts shows in place of Scalar's. */
const NO_SCRIPT = `<noscript><style>:root { color-scheme: light dark; }</style><main style="max-width:34em;margin:15vh auto;padding:0 20px;font:16px/1.6 system-ui,sans-serif">
<h1>Try the Parlance API</h1><p>This page needs a script. The <a href="./">API reference</a> needs none.</p></main></noscript>`

interface TryOut {
  html: string
  script: Buffer
  version: string
}

const SCRIPT = 'js/scalar.js'

/**
 * The page at `/docs/try` in which requests can be sent. It takes seconds to show itself, so the reference does not load it. Scalar 1.72 would
 * load fonts, call its agent service and send trial requests with their tokens through its own proxy. The options switch each of these off, and
 * the content security policy blocks them as well.
 */
export async function tryOutRoutes(app: FastifyInstance) {
  const scalar = lazy(loadScalar)
  const sendScript = compressedFile('text/javascript; charset=utf-8', async () => (await scalar()).script)

  app.get('/docs/try', PUBLIC_FILE, async (_request, reply) => {
    const { html } = await scalar()
    const nonce = randomBytes(16).toString('base64')
    reply.header('content-security-policy', policy(nonce)).header('referrer-policy', 'no-referrer')
    return reply.type('text/html; charset=utf-8').send(html.replaceAll(NONCE, nonce))
  })

  app.get<{ Querystring: { v?: unknown } }>(`/docs/${SCRIPT}`, PUBLIC_FILE, async (request, reply) => {
    const isNamed = request.query.v === (await scalar()).version
    return await sendScript(request, reply, isNamed ? FOREVER : {})
  })
}

/** Scalar's module holds its script in memory, so it is loaded on the first visit. */
async function loadScalar(): Promise<TryOut> {
  const [{ fastify }, { default: plugin }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference')
  ])
  const page = fastify()
  await page.register(plugin, { routePrefix: '/docs', configuration: CONFIGURATION })
  const [{ body }, { rawPayload: script }] = [await page.inject('/docs/'), await page.inject(`/docs/${SCRIPT}`)]
  await page.close()
  const version = versionOf(script)
  // A page without an icon makes the browser request /favicon.ico.
  const html = body
    .replace('<body>', `<body>${NO_SCRIPT}`)
    .replace('<html>', '<html lang="en">')
    .replace('<head>', '<head><link rel="icon" href="data:,">')
    .replace(`"${SCRIPT}"`, `"${SCRIPT}?v=${version}"`)
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
