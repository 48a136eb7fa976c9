import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** Stands in the rendered page for the nonce, which is new for each answer. */
const NONCE = 'nonce-of-this-answer'

/**
 * The reference page at `/docs`. Scalar 1.72 would load fonts, ask its agent service and send trial requests, tokens
 * and all, through its own proxy: each is switched off, and the content security policy holds even if a switch fails.
 */
export async function referenceRoutes(app: FastifyInstance) {
  app.addHook('onRoute', route => {
    route.config = { ...route.config, scopes: 'public' }
  })
  app.addHook('onSend', async (_request, reply, page) => {
    if (typeof page !== 'string' || !String(reply.getHeader('content-type')).startsWith('text/html')) return page
    const nonce = randomBytes(16).toString('base64')
    reply.header('content-security-policy', policy(nonce)).header('referrer-policy', 'no-referrer')
    // Without an icon of its own the page makes the browser ask for /favicon.ico.
    return page.replaceAll(NONCE, nonce).replace('<head>', '<head><link rel="icon" href="data:,">')
  })
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
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
    }
  })
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
