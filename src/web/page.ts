import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../text/escape.ts'
import { renderDocument, sendDocument } from './document.ts'

/** The content of a page that says something. `main` is HTML in which all values are escaped already. */
export interface Page {
  title: string
  main: string
}

/** Answers with a page in one card, under the name of the server. */
export function sendPage(reply: FastifyReply, status: number, page: Page) {
  const { basePath: base } = reply.server
  const body = `<header class="bar"><a class="name" href="${escapeHtml(base)}/">Parlance</a></header>
<main class="narrow">
${page.main}
</main>`
  return sendDocument(reply, status, renderDocument({ title: `${page.title} · Parlance`, base, body }))
}
