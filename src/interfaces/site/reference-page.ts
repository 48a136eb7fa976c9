import { raw } from 'hono/html'
import type { RendererObject, Tokens } from 'marked'
import { escapeHtml } from '../../platform/text/escape.ts'
import { type Html, html } from '../web/html.ts'
import { openMarkdown } from '../web/markdown.ts'
import { type ApiDocument, operationsOf, renderApi } from './api-markdown.ts'
import { markdownRenderer, slugOf } from './guide-markdown.ts'

type Link = (path: string) => string

/** The API reference: the Markdown that agents read, as a page with an index. */
export function referencePage(document: ApiDocument, link: Link) {
  const marked = openMarkdown(rendererOf(Object.keys(document.components.schemas)))
  const [title, ...rest] = marked.lexer(renderApi(document, link('')))
  return {
    title: 'API reference',
    part: 'reference' as const,
    markdown: link('/v1/docs.md'),
    main: html`<div class="reference">${raw(marked.parser(title ? [title] : []))}
<p class="actions"><a class="button" href="${link('/v1/docs/try')}">Try it in the browser</a> <a href="${link('/v1/docs.md')}">Markdown</a>
<a href="${link('/v1/openapi.json')}">OpenAPI document</a></p>
${raw(marked.parser(rest))}</div>`,
    side: html`<details class="menu"><summary>On this page</summary></details>
<nav aria-label="Reference">${indexOf(document)}</nav>`
  }
}

function indexOf(document: ApiDocument): Html {
  const operations = operationsOf(document)
  const groups = document.tags.map(
    ({ name }) =>
      html`<h2><a href="#${slugOf(name)}">${name}</a></h2><ul>${operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ request, operation }) => entry(request, operation.summary))}</ul>`
  )
  const events = Object.keys(document.webhooks).map(event => entry(`Webhook ${event}`, event))
  return html`<h2>All requests</h2><ul>${['Scopes', 'Error codes', 'Response headers'].map(name => entry(name, name))}</ul>
${groups}<h2>Webhook events</h2><ul>${events}</ul>
<h2><a href="#schemas">Schemas</a></h2><ul>${Object.keys(document.components.schemas).map(name => entry(name, name))}</ul>`
}

function entry(heading: string, words: string): Html {
  return html`<li><a href="#${slugOf(heading)}">${words}</a></li>`
}

/** The renderer of the guides, for a text that names schemas. */
function rendererOf(schemas: readonly string[]): RendererObject {
  return {
    ...markdownRenderer(''),
    heading({ tokens, depth, text }) {
      const anchor = slugOf(text)
      const [, method, path] = /^([A-Z]+) (\/\S+)$/.exec(text) ?? []
      const words = method
        ? `<span class="method">${method}</span> ${escapeHtml(path ?? '')}`
        : this.parser.parseInline(tokens)
      return `<h${depth} id="${anchor}">${words} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      return `<a href="${escapeHtml(href)}">${this.parser.parseInline(tokens)}</a>`
    },
    codespan({ text }) {
      const code = `<code>${escapeHtml(text)}</code>`
      return schemas.includes(text) ? `<a href="#${slugOf(text)}">${code}</a>` : code
    },
    code: ({ text, lang }: Tokens.Code) =>
      `<pre><code>${escapeHtml(lang === 'json' ? indented(text) : text)}</code></pre>\n`
  }
}

function indented(json: string) {
  return JSON.stringify(JSON.parse(json), null, 2)
}
