import { escapeHtml } from '../text/escape.ts'
import { renderDocument } from '../web/document.ts'
import type { Guide } from './guide-markdown.ts'
import type { Guides, NavigationGroup } from './guides.ts'

/** A page of the guides as HTML. Its links are relative, so that it can be served below any path. */
export function renderGuidePage(guide: Guide, { navigation }: Guides, publicUrl: string) {
  const root = '../'.repeat(guide.path.split('/').length - 1) || './'
  return renderDocument({
    title: `${guide.title} · Parlance guides`,
    base: `${root}..`,
    head: `<link rel="alternate" type="text/markdown" href="${root}${guide.path || 'README'}.md">
<script src="${root}page.js" defer></script>
`,
    body: `<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="name" href="${root}../">Parlance</a>
<a class="all-guides" href="${root}">Guides</a>
<search hidden data-root="${root}"><input type="search" placeholder="Search the guides" aria-label="Search the guides" autocomplete="off"><ol class="results" hidden></ol></search>
<a class="all" href="#pages">Pages</a>
<a class="reference" href="${root}../v1/docs">API<span> reference</span></a>
<a class="agents" href="${root}../llms.txt">For agents</a>
</header>
<div class="columns">
<main id="content" data-url="${escapeHtml(publicUrl)}">
${guide.html}</main>
<nav id="pages" aria-label="Guides">
${navigation.map(group => renderGroup(group, guide.path, root)).join('\n')}
</nav>
</div>`
  })
}

function renderGroup({ name, pages }: NavigationGroup, current: string, root: string) {
  const items = pages.map(({ path, title }) => {
    const mark = path === current ? ' aria-current="page"' : ''
    return `<li><a href="${root}${path}"${mark}>${escapeHtml(title)}</a></li>`
  })
  return `<h2>${escapeHtml(name)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
}
