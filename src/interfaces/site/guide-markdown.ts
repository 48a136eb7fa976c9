import { dirname, join } from 'node:path/posix'
import type { RendererObject, Token, Tokens } from 'marked'
import { escapeHtml } from '../../platform/text/escape.ts'
import { openMarkdown } from '../web/markdown.ts'

/** A part of a page that begins with a heading, as the search of the guides reads it. */
interface Section {
  anchor: string
  heading: string
  text: string
}

export interface Guide {
  /** Below `docs`, without `.md`. */
  path: string
  title: string
  markdown: string
  html: string
  sections: Section[]
}

/** Renders the Markdown of `docs/<path>.md`. The comments around its generated tables are left out; other HTML is text. */
export function renderGuide(path: string, markdown: string): Guide {
  const marked = openMarkdown(markdownRenderer(path))
  const tokens = marked.lexer(markdown.replace(/^<!--.*-->$/gm, ''))
  return {
    path,
    title: tokens.find(isHeading)?.text ?? path,
    markdown,
    html: marked.parser(tokens),
    sections: sectionsOf(tokens).map(([heading, ...rest]) => ({
      anchor: slugOf(heading.text),
      heading: toText(marked.parseInline(heading.text, { async: false })),
      text: toText(marked.parser(rest))
    }))
  }
}

/** The anchor of a heading, as GitHub makes it. */
export function slugOf(heading: string) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** Returns each heading with the tokens up to the next one. Text before the first heading is in no section. */
function sectionsOf(tokens: Token[]) {
  const sections: [Tokens.Heading, ...Token[]][] = []
  for (const token of tokens) {
    if (isHeading(token)) sections.push([token])
    else sections.at(-1)?.push(token)
  }
  return sections
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading'
}

/** Writes a guide. Its links lead to other guides. */
export function markdownRenderer(path: string): RendererObject {
  return {
    heading({ tokens, depth, text }) {
      const anchor = escapeHtml(slugOf(text))
      return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      const target = targetOf(path, href)
      return target === undefined ? `<span class="file">${text}</span>` : `<a href="${escapeHtml(target)}">${text}</a>`
    },
    code({ text, lang = '' }) {
      return `<pre data-language="${escapeHtml(lang.split(' ')[0] ?? '')}"><code>${escapeHtml(text)}</code></pre>\n`
    },
    table({ header, rows }) {
      const inline = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens)
      const columns = header.map(cell => escapeHtml(toText(inline(cell))))
      const head = header.map(cell => `<th>${inline(cell)}</th>`).join('')
      const body = rows.map(
        cells => `<tr>${cells.map((cell, at) => `<td data-column="${columns[at]}">${inline(cell)}</td>`).join('')}</tr>`
      )
      return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>\n`
    }
  }
}

/** The target of a link when the page is served. Undefined for a file of the repository, which is not served. */
function targetOf(path: string, href: string) {
  if (/^https?:|^#/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  if (!file.endsWith('.md') || join(dirname(path), file).startsWith('..')) return undefined
  const address = file.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '') || './'
  return anchor === undefined ? address : `${address}#${anchor}`
}

/** The text of rendered HTML. */
function toText(html: string) {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return html
    .replace(/<a class="anchor".*?<\/a>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}
