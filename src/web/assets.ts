import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { compressedFile } from './compressed-file.ts'
import { PUBLIC_FILE } from './refuse-reader.ts'
import { STYLE, STYLE_VERSION } from './style.ts'

export const HTMX_FILE = 'htmx.js'

/** The scripts of pages, each in a file of this folder. */
const SCRIPTS = ['session', 'upload'] as const

const FOREVER = 'public, max-age=31536000, immutable'

/** `/assets`: what the pages load besides themselves. htmx comes from its package, so no page asks another server for it. */
export async function assetRoutes(app: FastifyInstance) {
  const sendStyle = compressedFile('text/css; charset=utf-8', async () => Buffer.from(STYLE))
  const sendHtmx = compressedFile('text/javascript; charset=utf-8', () =>
    readFile(fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js')))
  )
  app.get<{ Querystring: { v?: unknown } }>('/assets/style.css', PUBLIC_FILE, (request, reply) =>
    sendStyle(request, reply, request.query.v === STYLE_VERSION ? FOREVER : 'no-cache')
  )
  for (const name of SCRIPTS) {
    const sendScript = compressedFile('text/javascript; charset=utf-8', () =>
      readFile(new URL(`${name}-page.js`, import.meta.url))
    )
    app.get(`/assets/${name}.js`, PUBLIC_FILE, (request, reply) => sendScript(request, reply))
  }
  app.get(`/assets/${HTMX_FILE}`, PUBLIC_FILE, (request, reply) => sendHtmx(request, reply))
}
