import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { preferredEncoding } from '../../platform/net/accept.ts'
import { escapeHtml } from '../../platform/text/escape.ts'
import { compressPage, compressPieces, type Encoding } from './compressed-page.ts'
import { type StyleName, styleFile } from './style.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The path of the public URL, with which links begin. */
    basePath: string
  }
}

/** The pages load the stylesheet and scripts of this server, and nothing of any other. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join('; ')

export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  // A page may have a secret in its address, which no other site gets. With no-referrer a browser would send forms as from nowhere.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  // Browsers that don't know frame-ancestors know this.
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow'
}

export const PAGE_TYPE = 'text/html; charset=utf-8'

/** Every page depends on who is signed in, were it only for its navigation. */
export const VARY = 'accept-encoding, cookie'

interface Others {
  /** The server of a recording that the page plays, such as the one of a bucket. */
  mediaOrigin?: string | undefined
  /** The address to which the answer of the page's form leads. */
  formTarget?: string | undefined
  /** True for a page that is sent before anything else can be, and so is not compressed. */
  atOnce?: boolean | undefined
}

/** Answers with a page, compressed, that uses no other server except for these. */
export async function sendDocument(
  reply: FastifyReply,
  status: number,
  document: string | Readable,
  { mediaOrigin, formTarget, atOnce = false }: Others = {}
) {
  const encoding = atOnce ? undefined : preferredEncoding(reply.request.headers['accept-encoding']?.toString())
  // Before any header, which the answer to a request that takes too long would be sent with.
  const body = encoding ? await compress(document, encoding) : document
  reply
    .code(status)
    .headers({ ...PAGE_HEADERS, vary: VARY })
    .type(PAGE_TYPE)
  if (mediaOrigin !== undefined)
    reply.header('content-security-policy', POLICY.replace("media-src 'self'", `media-src 'self' ${mediaOrigin}`))
  if (formTarget !== undefined) {
    const policy = POLICY.replace("form-action 'self'", `form-action 'self' ${sourceOf(formTarget)}`)
    reply.header('content-security-policy', policy)
    // A program that has opened this page in a window of its own gets the answer in that window.
    reply.header('cross-origin-opener-policy', 'unsafe-none')
  }
  if (encoding) reply.header('content-encoding', encoding)
  // nginx would keep a page that goes on until it has a few kilobytes of it.
  if (typeof document !== 'string') reply.header('x-accel-buffering', 'no')
  return reply.send(body)
}

async function compress(document: string | Readable, encoding: Encoding) {
  return typeof document === 'string' ? await compressPage(document, encoding) : compressPieces(document, encoding)
}

/**
 * The address as a source of the policy, which knows no IPv6 address and no more of an app's link than its scheme. A host may have a semicolon or a
 * comma, with which the policy would end.
 */
function sourceOf(address: string) {
  const { protocol, host, origin } = new URL(address)
  return /^https?:$/.test(protocol) && /^[\w.-]+(?::\d+)?$/.test(host) ? origin : protocol
}

/** A page for people. Without an icon of its own it would make the browser ask for /favicon.ico. */
export function renderDocument({
  title,
  base,
  head = '',
  body,
  styles = []
}: {
  title: string
  base: string
  head?: string
  body: string
  /** The stylesheets besides the one that all pages have. */
  styles?: readonly StyleName[]
}) {
  const sheets = (['style', ...styles] as const).map(
    name => `<link rel="stylesheet" href="${escapeHtml(base)}/assets/${styleFile(name)}">`
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
${sheets.join('\n')}
${head}</head>
<body>
${body}
</body>
</html>
`
}
