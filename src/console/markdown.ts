import { raw } from 'hono/html'
import { Marked } from 'marked'
import { escapeHtml } from '../text/escape.ts'

/** Headings of a summary stand below those of the page. */
const FIRST_DEPTH = 3

/** The characters of a block that is read as Markdown. marked 18 takes quadratic time for some texts, so a longer block is shown as it is. */
const MAX_BLOCK = 4_000

/**
 * Renders the Markdown of a summary, which a model or a user wrote. HTML in it is shown as text, an image as its description, and only http and
 * mail addresses become links.
 */
export function markdown(text: string) {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n')
  return raw(blocks.map(renderBlock).join(''))
}

function renderBlock(block: string) {
  return block.length > MAX_BLOCK
    ? `<p class="as-is">${escapeHtml(block)}</p>\n`
    : MARKED.parse(block, { async: false })
}

const MARKED = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    heading({ tokens, depth }) {
      const level = Math.min(6, depth + FIRST_DEPTH - 1)
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
    },
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens)
      const isSafe = /^(?:https?:\/\/|mailto:)/i.test(href)
      return isSafe ? `<a href="${escapeHtml(href)}" rel="noreferrer nofollow">${words}</a>` : words
    }
  }
})
