import { raw } from 'hono/html'
import { escapeHtml } from '../../platform/text/escape.ts'
import { isCostly, splitBlocks } from '../../platform/text/markdown-blocks.ts'
import { openPauses } from '../../platform/work/pauses.ts'
import { openMarkdown } from '../web/markdown.ts'

/** Headings of a summary stand below those of the page. */
const FIRST_DEPTH = 3
const MAX_DEPTH = 6

/**
 * Renders the Markdown of a summary, which a model or a user wrote. HTML in it is shown as text and an image as its description. Only http and mail
 * addresses become links, and each shows where it leads.
 */
export function markdown(text: string) {
  return raw([...renderBlocks(text)].join(''))
}

/** Does the same in steps, between which other requests are served. A summary of the greatest length takes some tenths of a second. */
export async function markdownInSteps(text: string) {
  const pause = openPauses()
  const rendered: string[] = []
  for (const block of renderBlocks(text)) {
    rendered.push(block)
    await pause()
  }
  return raw(rendered.join(''))
}

function* renderBlocks(text: string) {
  const depths = new Set(Array.from(text.matchAll(/^(#{1,6})\s/gm), ([, marks = '']) => marks.length))
  const reader = READERS[Math.min(...depths, MAX_DEPTH) - 1]
  for (const block of splitBlocks(text)) yield renderBlock(block, reader)
}

function renderBlock(block: string, reader = openReader(1)) {
  return isCostly(block) ? `<p class="as-is">${escapeHtml(block)}</p>\n` : reader.parse(block, { async: false })
}

/** Reads a text whose highest heading has that depth. */
function openReader(highest: number) {
  return openMarkdown({
    heading({ tokens, depth }) {
      const level = Math.min(MAX_DEPTH, Math.max(0, depth - highest) + FIRST_DEPTH)
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
    },
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens)
      const target = targetOf(href)
      if (target === undefined) return words
      // Isolated, so that marks of direction in the words don't turn the target around.
      const shown =
        words === escapeHtml(href) || words === escapeHtml(target) ? '' : ` <bdi>(${escapeHtml(target)})</bdi>`
      return `<a href="${escapeHtml(href)}" rel="noreferrer nofollow"><bdi>${words}</bdi></a>${shown}`
    }
  })
}

/** The part of a link's URL that a reader should see: the host of a page, or an address of mail. Undefined if it must not become a link. */
function targetOf(href: string) {
  const url = URL.parse(href)
  if (url?.protocol === 'mailto:') return url.pathname
  return url && /^https?:$/.test(url.protocol) && url.username === '' ? url.host : undefined
}

const READERS = Array.from({ length: MAX_DEPTH }, (_, at) => openReader(at + 1))
