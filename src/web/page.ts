import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../core/escape.ts'
import { STYLE } from './style.ts'

/** What stands on a page. `main` is HTML: everything in it that came from somewhere was escaped before. */
export interface Page {
  title: string
  main: string
}

/** Nothing runs, nothing is loaded, and the one stylesheet is this one. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

/**
 * Answers with a page for people. Its address may be the secret that lets in, so that no other site and no search engine
 * may learn of it.
 */
export function sendPage(reply: FastifyReply, status: number, page: Page) {
  return reply
    .code(status)
    .headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex, nofollow' })
    .type('text/html; charset=utf-8')
    .send(render(page))
}

/** Without an icon of its own a page makes the browser ask for /favicon.ico. */
function render({ title, main }: Page) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)} · Parlance</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
${main}
</main>
<footer>Parlance, a server for recorded conversations</footer>
</body>
</html>
`
}
