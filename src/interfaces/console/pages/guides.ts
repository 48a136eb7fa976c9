import { z } from 'zod'
import { lazy } from '../../../platform/core/lazy.ts'
import { guideFiles } from '../../site/guide-files.ts'
import { guidePage } from '../../site/guide-page.ts'
import { loadGuides } from '../../site/guides.ts'
import { html } from '../../web/html.ts'
import { type Console, NONE } from '../open-console.ts'
import type { View, Visit } from '../visit.ts'

const Path = z.object({ '*': z.string() })

/** The guides at `/docs/`, and their Markdown. They are rendered when somebody first looks at them. */
export function guidePages({ services, anyone }: Console) {
  const loaded = lazy(async () => {
    const guides = await loadGuides(services.publicUrl)
    return { guides, files: guideFiles(guides) }
  })

  anyone.page('/docs', NONE, async () => ({ to: '/docs/' }), { published: true })

  anyone.page(
    '/docs/*',
    { ...NONE, params: Path },
    async (visit, { params: { '*': path } }) => {
      const { guides, files } = await loaded()
      const file = files.get(path)
      if (file) return { publish: file }
      const guide = guides.pages.get(path)
      if (!guide) return unknownGuide(visit)
      const page = guidePage(guide, guides, { link: visit.link, publicUrl: services.publicUrl })
      return { ...page, published: `guide ${path}` }
    },
    { published: true }
  )
}

function unknownGuide({ link }: Visit): View {
  return {
    title: 'There is no such page',
    status: 404,
    narrow: true,
    part: 'guides',
    main: html`<h1>There is no such page</h1>
<p>The guides may have changed. <a href="${link('/docs/')}">See all pages</a>.</p>`
  }
}
