import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../text/escape.ts'
import { renderDocument, sendDocument } from '../web/document.ts'
import { toFileName } from './file-name.ts'
import { type Html, html, when } from './html.ts'
import type { Download, View, Visit } from './visit.ts'

const PARTS = [
  { part: 'sessions', name: 'Sessions', path: '/' },
  { part: 'overview', name: 'Overview', path: '/overview' },
  { part: 'upload', name: 'Upload', path: '/upload' },
  { part: 'shared', name: 'Shared with me', path: '/shared' },
  { part: 'items', name: 'Action items', path: '/action-items' },
  { part: 'folders', name: 'Folders', path: '/folders' },
  { part: 'people', name: 'People', path: '/people' },
  { part: 'settings', name: 'Settings', path: '/settings' }
] as const

/** Answers with a page in the console's layout. */
export async function sendView(reply: FastifyReply, visit: Visit, view: View) {
  const { title, main, rest, scripts = [], status = 200, narrow = false, mediaOrigin } = view
  const body = html`${header(visit, view)}
<main id="content" class="${narrow ? 'narrow' : 'page'}">
${main}
</main>`
  const base = reply.server.basePath
  const head = scripts
    .map(name => `<script type="module" src="${escapeHtml(base)}/assets/${name}"></script>\n`)
    .join('')
  const document = renderDocument({ title: `${title} · Parlance`, base, head, body: String(await body) })
  if (!rest) return sendDocument(reply, status, document, mediaOrigin)
  return sendDocument(reply, status, Readable.from(continued(document, rest), { objectMode: false }), mediaOrigin)
}

/** The characters that are sent at once of a page that goes on. */
const PIECE = 16_384

/** Puts the pieces before the end of `main`. */
async function* continued(document: string, rest: Iterable<Html>) {
  const end = document.lastIndexOf('</main>')
  yield document.slice(0, end)
  let piece = ''
  for (const markup of rest) {
    piece += String(await markup)
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  yield piece + document.slice(end)
}

/** Answers with a file, which the browser saves. Its name has letters, digits and a few marks only. */
export function sendDownload(reply: FastifyReply, { file, type, content }: Download) {
  const { name, plain } = toFileName(file)
  return reply
    .header('content-disposition', `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`)
    .header('cache-control', 'no-store')
    .type(type)
    .send(typeof content === 'string' ? content : Readable.from(content, { objectMode: false }))
}

function header(visit: Visit, { part }: View): Html {
  const { visitor, link, form } = visit
  const parts = visitor?.guest ? PARTS.filter(({ part }) => part === 'shared') : PARTS
  const entries = parts.map(
    entry =>
      html`<a href="${link(entry.path)}"${when(entry.part === part, () => html` aria-current="page"`)}>${entry.name}</a>`
  )
  return html`<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<a class="name" href="${link('/')}">Parlance</a>
${when(visitor, () => html`<nav class="parts" aria-label="Console">${entries}</nav>`)}
<span class="account">${
    visitor
      ? html`<span class="who" title="${visitor.email ?? ''}"><bdi>${visitor.name ?? visitor.email ?? 'Signed in'}</bdi></span>${form('/sign-out', html`<button class="plain">Sign out</button>`)}`
      : html`<a href="${link('/docs/')}">Guides</a> <a href="${link('/sign-in')}">Sign in</a>`
  }</span>
</header>`
}
