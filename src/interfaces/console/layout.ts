import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { LIMITS } from '../../contract/limits.ts'
import type { Visitor } from '../../features/sign-in/sign-in.ts'
import { attachment } from '../../platform/net/attachment.ts'
import { holdUntilRead } from '../../platform/net/hold-until-read.ts'
import { compressedFile, type SendFile } from '../web/compressed-file.ts'
import { PAGE_HEADERS, PAGE_TYPE, renderDocument, sendDocument, VARY } from '../web/document.ts'
import { type Html, html, when } from '../web/html.ts'
import type { Download, View, Visit } from './visit.ts'

const PARTS = [
  { part: 'sessions', name: 'Sessions', path: '/' },
  { part: 'overview', name: 'Overview', path: '/overview' },
  { part: 'upload', name: 'Upload', path: '/upload' },
  { part: 'shared', name: 'Shared with me', path: '/shared' },
  { part: 'items', name: 'Action items', path: '/action-items' },
  { part: 'folders', name: 'Folders', path: '/folders' },
  { part: 'people', name: 'People', path: '/people' },
  { part: 'settings', name: 'Settings', path: '/settings' },
  { part: 'operator', name: 'Operator', path: '/operator/users' }
] as const

/** The parts that anyone may read. */
const PUBLIC_PARTS = [
  { part: 'guides', name: 'Guides', path: '/docs/' },
  { part: 'reference', name: 'API', path: '/v1/docs/' }
] as const

/** The pages that are the same for everyone who is not signed in, by their names. Each is compressed once. */
export type PublishedPages = Map<string, SendFile>

/** Answers with a page in the layout of all pages. */
export async function sendView(reply: FastifyReply, visit: Visit, view: View, published: PublishedPages = new Map()) {
  const { status = 200, published: name, rest, held, mediaOrigin, formTarget, atOnce } = view
  if (held) holdUntilRead(reply.raw, held, LIMITS.longReads.stallMs)
  if (name !== undefined && !visit.visitor) return await sendPublished(reply, visit, { view, name, published })
  const document = toDocument(visit, view)
  const others = { mediaOrigin, formTarget, atOnce }
  if (!rest) return await sendDocument(reply, status, document, others)
  return await sendDocument(reply, status, Readable.from(continued(document, rest), { objectMode: false }), others)
}

async function sendPublished(
  reply: FastifyReply,
  visit: Visit,
  { view, name, published }: { view: View; name: string; published: PublishedPages }
) {
  const send = published.get(name) ?? compressedFile(PAGE_TYPE, async () => Buffer.from(toDocument(visit, view)))
  published.set(name, send)
  return await send(reply.request, reply.headers(PAGE_HEADERS), { vary: VARY })
}

function toDocument(visit: Visit, view: View) {
  const { title, main, side, scripts = [], narrow = false, markdown, onwards } = view
  const { link } = visit
  const content = html`<main id="content" class="${narrow ? 'narrow' : side ? 'text' : 'page'}">
${main}
</main>`
  const head = html`${when(onwards, () => html`<meta http-equiv="refresh" content="0; url=${link(onwards ?? '')}">`)}${when(markdown, () => html`<link rel="alternate" type="text/markdown" href="${markdown}">`)}${scripts.map(
    name => html`<script src="${link(`/assets/${name}`)}" type="module"></script>
`
  )}`
  const body = html`${header(visit, view)}
${side ? html`<div class="columns"><div class="side">${side}</div>${content}</div>` : content}`
  return renderDocument({
    title: `${title} · Parlance`,
    base: link(''),
    head: textOf(head),
    body: textOf(body)
  })
}

/** A template of values that are there is a text at once. */
function textOf(markup: Html) {
  if (markup instanceof Promise) throw new Error('A page has markup that is not made yet')
  return String(markup)
}

/** Puts the pieces before the end of `main`. */
async function* continued(document: string, rest: AsyncIterable<Html | Uint8Array>) {
  const end = document.lastIndexOf('</main>')
  yield document.slice(0, end)
  for await (const piece of rest) yield piece instanceof Uint8Array ? piece : textOf(piece)
  yield document.slice(end)
}

/** Answers with a file, which the browser saves. Its name has letters, digits and a few marks only. */
export function sendDownload(reply: FastifyReply, { file, type, content, held }: Download) {
  if (held) holdUntilRead(reply.raw, held, LIMITS.longReads.stallMs)
  return reply
    .header('content-disposition', attachment(file))
    .header('cache-control', 'no-store')
    .type(type)
    .send(
      typeof content === 'string' || Buffer.isBuffer(content) ? content : Readable.from(content, { objectMode: false })
    )
}

function isFor({ guest, operator }: Visitor, part: (typeof PARTS)[number]['part']) {
  if (guest) return part === 'shared'
  return part !== 'operator' || operator
}

/** The one header of all pages. On a narrow screen the navigation of a visitor who is signed in is behind a button. */
function header(visit: Visit, { part }: View): Html {
  const { visitor, link } = visit
  const parts = visitor ? PARTS.filter(({ part }) => isFor(visitor, part)) : []
  const entries = [...parts, ...PUBLIC_PARTS].map(
    entry =>
      html`<a href="${link(entry.path)}"${when(entry.part === part, () => html` aria-current="page"`)}>${entry.name}</a>`
  )
  return html`<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<a class="name" href="${link('/')}">Parlance</a>
${when(visitor, () => html`<details class="menu"><summary>Menu</summary></details>`)}
<nav class="parts" aria-label="Parlance">${entries}</nav>
${account(visit)}
</header>`
}

function account({ visitor, link, form }: Visit): Html {
  if (!visitor) return html`<div class="account"><a href="${link('/sign-in')}">Sign in</a></div>`
  const { name, email } = visitor
  return html`<div class="account"><span class="who" title="${email ?? ''}"><bdi>${name ?? email ?? 'Signed in'}</bdi></span>${form(
    '/sign-out',
    html`<button class="plain">Sign out</button>`
  )}</div>`
}
