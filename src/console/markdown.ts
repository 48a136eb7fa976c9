import { raw } from 'hono/html'
import { Marked } from 'marked'
import { escapeHtml } from '../text/escape.ts'

/** Headings of a summary stand below those of the page. */
const FIRST_DEPTH = 3
const MAX_DEPTH = 6

/** The characters of a block that is read as Markdown. marked 18 takes quadratic time for some texts, so a longer block is shown as it is. */
const MAX_BLOCK = 4_000

/**
 * Renders the Markdown of a summary, which a model or a user wrote. HTML in it is shown as text, an image as its description, and only http and
 * mail addresses become links.
 */
export function markdown(text: string) {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n')
  const depths = new Set(Array.from(text.matchAll(/^(#{1,6})\s/gm), ([, marks = '']) => marks.length))
  const reader = READERS[Math.min(...depths, MAX_DEPTH) - 1]
  return raw(blocks.map(block => renderBlock(block, reader)).join(''))
}

function renderBlock(block: string, reader = openReader(1)) {
  return block.length > MAX_BLOCK
    ? `<p class="as-is">${escapeHtml(block)}</p>\n`
    : reader.parse(block, { async: false })
}

/** Reads a text whose highest heading has that depth. */
function openReader(highest: number) {
  return new Marked({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      heading({ tokens, depth }) {
        const level = Math.min(MAX_DEPTH, Math.max(0, depth - highest) + FIRST_DEPTH)
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const isSafe = /^(?:https?:\/\/|mailto:)/i.test(href)
        return isSafe ? `<a href="${escapeHtml(href)}" rel="noreferrer nofollow">${words}</a>` : words
      }
    }
  })
}

const READERS = Array.from({ length: MAX_DEPTH }, (_, at) => openReader(at + 1))
