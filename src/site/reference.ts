import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { FOREVER } from '../web/assets.ts'
import { compressedFile, versionOf } from '../web/compressed-file.ts'
import { once } from '../web/once.ts'
import { PUBLIC_FILE } from '../web/public-file.ts'

/** A placeholder in the rendered page for the nonce, which is new for each answer. */
const NONCE = 'nonce-of-this-answer'

const CONFIGURATION = {
  url: '../openapi.json',
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

/** The page that a browser without scripts shows in place of Scalar's. */
const NO_SCRIPT = `<noscript><style>:root { color-scheme: light dark; }</style><main style="max-width:34em;margin:15vh auto;padding:0 20px;font:16px/1.6 system-ui,sans-serif">
<h1>Parlance API reference</h1><p>This page needs a script. The same reference is <a href="../docs.md">one page of Markdown</a>, and an
<a href="../openapi.json">OpenAPI document</a>. The <a href="../../docs/">guides</a> need no script.</p></main></noscript>`

interface Reference {
  html: string
  script: Buffer
  version: string
}

const SCRIPT = 'js/scalar.js'

/**
 * The reference page at `/docs`. Scalar 1.72 would load fonts, call its agent service and send trial requests with their tokens through its
 * own proxy. The options switch each of these off, and the content security policy blocks them as well.
 */
export async function referenceRoutes(app: FastifyInstance) {
  const reference = once(makeReference)
  const sendScript = compressedFile('text/javascript; charset=utf-8', async () => (await reference()).script)

  app.get('/docs', PUBLIC_FILE, async (_request, reply) => reply.redirect('docs/', 301))

  app.get('/docs/', PUBLIC_FILE, async (_request, reply) => {
    const { html } = await reference()
    const nonce = randomBytes(16).toString('base64')
    reply.header('content-security-policy', policy(nonce)).header('referrer-policy', 'no-referrer')
    return reply.type('text/html; charset=utf-8').send(html.replaceAll(NONCE, nonce))
  })

  app.get<{ Querystring: { v?: unknown } }>(`/docs/${SCRIPT}`, PUBLIC_FILE, async (request, reply) => {
    const isNamed = request.query.v === (await reference()).version
    return await sendScript(request, reply, isNamed ? FOREVER : {})
  })
}

/** Scalar's module holds its script in memory, so it is loaded on the first visit. */
async function makeReference(): Promise<Reference> {
  const [{ fastify }, { default: scalar }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference')
  ])
  const page = fastify()
  await page.register(scalar, { routePrefix: '/docs', configuration: CONFIGURATION })
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
