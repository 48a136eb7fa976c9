import { raw } from 'hono/html'
import { type Html, html, when } from '../web/html.ts'
import type { Guide } from './guide-markdown.ts'
import type { Guides, NavigationGroup } from './guides.ts'

type Link = (path: string) => string

/** A page of the guides, and beside it the way to all others. */
export function guidePage(
  guide: Guide,
  { navigation }: Guides,
  { link, publicUrl }: { link: Link; publicUrl: string }
) {
  return {
    title: `${guide.title} · Guides`,
    part: 'guides' as const,
    scripts: ['guide.js'],
    markdown: link(`/docs/${guide.path || 'README'}.md`),
    // The examples are Markdown of this repository, in which the renderer has escaped all text.
    main: html`${raw(guide.html)}`,
    side: html`<search hidden data-root="${link('/docs/')}" data-url="${publicUrl}"><input type="search" placeholder="Search the guides" aria-label="Search the guides" autocomplete="off"><ol class="results" hidden></ol></search>
<details class="menu"><summary>All guides</summary></details>
<nav aria-label="Guides">
${navigation.map(group => renderGroup(group, guide.path, link))}
<h2>API</h2>
<ul><li><a href="${link('/v1/docs/')}">Reference</a></li><li><a href="${link('/llms.txt')}">For agents</a></li></ul>
</nav>`
  }
}

function renderGroup({ name, pages }: NavigationGroup, current: string, link: Link): Html {
  const items = pages.map(
    ({ path, title }) =>
      html`<li><a href="${link(`/docs/${path}`)}"${when(path === current, () => html` aria-current="page"`)}>${title}</a></li>`
  )
  return html`<h2>${name}</h2><ul>${items}</ul>`
}
