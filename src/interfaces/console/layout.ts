import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { LIMITS } from '../../contract/limits.ts'
import { attachment } from '../../platform/net/attachment.ts'
import { holdUntilRead } from '../../platform/net/hold-until-read.ts'
import { compressedFile, type SendFile } from '../web/compressed-file.ts'
import { PAGE_HEADERS, PAGE_TYPE, renderDocument, sendDocument, VARY } from '../web/document.ts'
import { type Html, html, when } from '../web/html.ts'
import { spriteFor } from '../web/icons.ts'
import type { StyleName } from '../web/style.ts'
import { DOOR_SIDE, railOf, topBar } from './shell.ts'
import type { Download, View, Visit } from './visit.ts'

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
  const { title, main, side, door = false, scripts = [], narrow = false, markdown, onwards } = view
  const { link } = visit
  const content = html`<main id="content"${when(!door, () => html` class="${narrow ? 'narrow' : side ? 'text' : 'page'}"`)}>
${main}
</main>`
  const railed = railOf(visit, view)
  const head = html`${when(onwards, () => html`<meta http-equiv="refresh" content="0; url=${link(onwards ?? '')}">`)}${when(markdown, () => html`<link rel="alternate" type="text/markdown" href="${markdown}">`)}${[
    ...scripts,
    ...(railed ? ['keys.js'] : [])
  ].map(
    name => html`<script src="${link(`/assets/${name}`)}" type="module"></script>
`
  )}`
  const page = side ? html`<div class="columns"><div class="side">${side}</div>${content}</div>` : content
  const framed = railed
    ? html`<div class="shell">${railed}
${page}
</div>`
    : door
      ? html`<div class="door">${page}
${DOOR_SIDE}</div>`
      : html`${topBar(visit, view)}
${page}`
  const body = textOf(html`<a class="skip" href="#content">Skip to the content</a>
${framed}`)
  return renderDocument({
    title: `${title} · Parlance`,
    base: link(''),
    head: textOf(head),
    body: spriteFor(body) + body,
    styles: stylesFor(view)
  })
}

/** The stylesheets of a page besides the one that all have. */
function stylesFor({ side, part }: View): StyleName[] {
  if (side) return ['guide']
  if (part === 'search') return ['search']
  return part === undefined || part === 'sessions' || part === 'shared' ? [] : ['settings']
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
