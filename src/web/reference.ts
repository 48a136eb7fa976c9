import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** Stands in the rendered page for the nonce, which is new for each answer. */
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

/**
 * The reference page at `/docs`. Scalar 1.72 would load fonts, ask its agent service and send trial requests, tokens
 * and all, through its own proxy: each is switched off, and the content security policy holds even if a switch fails.
 */
export async function referenceRoutes(app: FastifyInstance) {
  let made: Promise<FastifyInstance> | undefined
  app.addHook('onClose', async () => (await made?.catch(() => undefined))?.close())

  for (const path of ['/docs', '/docs/', '/docs/*']) {
    app.get(path, { config: { scopes: 'public' }, schema: { hide: true } }, async ({ url }, reply) => {
      made ??= makeReference()
      const { statusCode, headers, body } = await (await made).inject(url)
      // Where the page has nothing, the path is none of ours.
      if (statusCode === 404) return reply.callNotFound()
      if (headers.location) reply.header('location', headers.location)
      reply.code(statusCode).header('content-type', headers['content-type'])
      if (!headers['content-type']?.startsWith('text/html')) return body
      const nonce = randomBytes(16).toString('base64')
      reply.header('content-security-policy', policy(nonce)).header('referrer-policy', 'no-referrer')
      // Without an icon of its own the page makes the browser ask for /favicon.ico.
      return body.replaceAll(NONCE, nonce).replace('<head>', '<head><link rel="icon" href="data:,">')
    })
  }
}

/** Made when somebody first looks at it: its script takes 16 MB of memory. */
async function makeReference(): Promise<FastifyInstance> {
  const [{ fastify }, { default: scalar }] = await Promise.all([import('fastify'), import('@scalar/fastify-api-reference')])
  const page = fastify()
  await page.register(scalar, { routePrefix: '/v1/docs', configuration: CONFIGURATION })
  return page
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
