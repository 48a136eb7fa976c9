import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isNamed } from '../http/entity-tag.ts'
import { basePathOf } from '../http/links.ts'
import type { Services } from '../services.ts'
import { escapeHtml } from '../text/escape.ts'
import { versionOf } from '../web/compressed-file.ts'
import { PAGE_HEADERS } from '../web/document.ts'
import { once } from '../web/once.ts'
import { type Page, sendPage } from '../web/page.ts'
import { PUBLIC_FILE } from '../web/refuse-reader.ts'
import { renderGuidePage } from './guide-layout.ts'
import { loadGuides } from './guides.ts'

interface File {
  type: string
  body: string
  etag: string
}

/** `/docs`: the guides for people, rendered when somebody first looks at them, and the icon. Needs no token. */
export async function guideRoutes(app: FastifyInstance, { publicUrl }: Pick<Services, 'publicUrl'>) {
  const basePath = basePathOf(publicUrl)
  const files = once(() => renderFiles(publicUrl))
  const icon = once(loadIcon)

  // Browsers ask for it beside everything that names no icon, such as an answer in JSON.
  app.get('/favicon.ico', PUBLIC_FILE, async ({ headers }, reply) => {
    const { bytes, etag } = await icon()
    reply.headers({ etag, 'cache-control': 'public, max-age=86400' })
    return isNamed(etag, headers['if-none-match']) ? reply.code(304).send() : reply.type('image/x-icon').send(bytes)
  })

  app.get('/docs', PUBLIC_FILE, async (_request, reply) => reply.redirect('docs/', 301))

  app.get<{ Params: { '*': string } }>('/docs/*', PUBLIC_FILE, async (request, reply) => {
    const file = (await files()).get(request.params['*'])
    return file ? sendFile(request, reply, file) : sendPage(reply, 404, noGuide(basePath))
  })
}

async function loadIcon() {
  const bytes = await readFile(new URL('favicon.ico', import.meta.url))
  return { bytes, etag: `"${versionOf(bytes)}"` }
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { type, body, etag }: File) {
  reply.headers({
    etag,
    'cache-control': 'no-cache',
    ...PAGE_HEADERS
  })
  return isNamed(etag, request.headers['if-none-match']) ? reply.code(304).send() : reply.type(type).send(body)
}

/** Every file below `/docs/`, by its path. */
async function renderFiles(publicUrl: string) {
  const guides = await loadGuides(publicUrl)
  const index = [...guides.pages].flatMap(([path, { title, sections }]) =>
    sections.map(({ anchor, heading, text }, at) => ({ path, anchor: at === 0 ? '' : anchor, title, heading, text }))
  )
  const files = new Map<string, File>()
  for (const [path, guide] of guides.pages) {
    files.set(path, fileOf('text/html', renderGuidePage(guide, guides, publicUrl)))
    files.set(`${path || 'README'}.md`, fileOf('text/markdown', guide.markdown))
  }
  files.set('search.json', fileOf('application/json', JSON.stringify(index)))
  files.set('page.js', fileOf('text/javascript', await readFile(new URL('guide-page.js', import.meta.url), 'utf8')))
  return files
}

function fileOf(type: string, body: string): File {
  return { type: `${type}; charset=utf-8`, body, etag: `"${versionOf(body)}"` }
}

function noGuide(basePath: string): Page {
  const index = `<a href="${escapeHtml(basePath)}/docs/">See all pages</a>`
  return {
    title: 'There is no such page',
    main: `<h1>There is no such page</h1>\n<p>The guides may have changed. ${index}.</p>`
  }
}
