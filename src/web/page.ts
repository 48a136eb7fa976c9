import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../text/escape.ts'
import { STYLE } from './style.ts'

/** The content of a page. `main` is HTML in which all values are escaped already. */
export interface Page {
  title: string
  main: string
}

/** The pages run no script, load nothing, and use only their own stylesheet. */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashSource(STYLE)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

/** Answers with a page. Its URL may hold a secret, so the headers keep it from other sites and search engines. */
export function sendPage(reply: FastifyReply, status: number, page: Page) {
  return reply
    .code(status)
    .headers({
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow'
    })
    .type('text/html; charset=utf-8')
    .send(
      renderDocument({
        title: `${page.title} · Parlance`,
        style: STYLE,
        body: `<main>\n${page.main}\n</main>\n<footer>Parlance, a server for recorded conversations</footer>`
      })
    )
}

/** A page for people as HTML. Without an icon of its own it would make the browser ask for /favicon.ico. */
export function renderDocument({
  title,
  style,
  head = '',
  body
}: {
  title: string
  style: string
  head?: string
  body: string
}) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
${head}</head>
<body>
${body}
</body>
</html>
`
}

/** The source in a content security policy that allows this stylesheet and no other. */
export function hashSource(style: string) {
  return `'sha256-${hash('sha256', style, 'base64')}'`
}
