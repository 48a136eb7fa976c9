import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { compressedFile } from './compressed-file.ts'
import { PUBLIC_FILE } from './public-file.ts'
import { STYLES } from './style.ts'

/** The scripts of pages, each in a file of this folder. */
const SCRIPTS = [
  'guide',
  'session',
  'upload',
  'queue',
  'transfer',
  'progress',
  'find',
  'correct',
  'keys',
  'tick'
] as const

/** For an address that changes with the content. */
export const FOREVER = { cacheControl: 'public, max-age=31536000, immutable' }

/** `/assets`: what the pages load besides themselves, and the icon. */
export async function assetRoutes(app: FastifyInstance) {
  for (const [name, { text, version }] of Object.entries(STYLES)) {
    const sendStyle = compressedFile('text/css; charset=utf-8', async () => Buffer.from(text))
    app.get<{ Querystring: { v?: unknown } }>(`/assets/${name}.css`, PUBLIC_FILE, (request, reply) =>
      sendStyle(request, reply, request.query.v === version ? FOREVER : {})
    )
  }
  for (const name of SCRIPTS) {
    const sendScript = compressedFile('text/javascript; charset=utf-8', () =>
      readFile(new URL(`${name}-page.js`, import.meta.url))
    )
    app.get(`/assets/${name}.js`, PUBLIC_FILE, (request, reply) => sendScript(request, reply))
  }
  // Browsers ask for it beside everything that names no icon, such as an answer in JSON.
  const sendIcon = compressedFile('image/x-icon', () => readFile(new URL('favicon.ico', import.meta.url)))
  app.get('/favicon.ico', PUBLIC_FILE, (request, reply) =>
    sendIcon(request, reply, { cacheControl: 'public, max-age=86400' })
  )
}
