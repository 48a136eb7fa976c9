import { decodeHTML } from 'entities'
import { Marked, type RendererObject } from 'marked'
import { escapeHtml } from '../../platform/text/escape.ts'

/**
 * Opens a reader of Markdown for which HTML is text, and an image its description. The tokenizer must not know tags at all: after `<code>` in a
 * line, marked hands on what follows as text that needs no escaping, although nobody has escaped it.
 */
export function openMarkdown(renderer: RendererObject) {
  return new Marked({
    tokenizer: { html: () => undefined, tag: () => undefined },
    renderer: {
      text(token) {
        // Character references are part of Markdown, so they are decoded before the text is escaped.
        return 'tokens' in token && token.tokens
          ? this.parser.parseInline(token.tokens)
          : escapeHtml(decodeHTML(token.text))
      },
      image: ({ text }) => escapeHtml(text),
      ...renderer
    }
  })
}
