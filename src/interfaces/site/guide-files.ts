import { compressedFile, type SendFile } from '../web/compressed-file.ts'
import type { Guides } from './guides.ts'

/** The files below `/docs/` that are no pages, by their paths: each guide as Markdown, and the index of their search. */
export function guideFiles({ pages }: Guides) {
  const files = new Map<string, SendFile>()
  for (const [path, { markdown }] of pages) files.set(`${path || 'README'}.md`, fileOf('text/markdown', markdown))
  const index = [...pages].flatMap(([path, { title, sections }]) =>
    sections.map(({ anchor, heading, text }, at) => ({ path, anchor: at === 0 ? '' : anchor, title, heading, text }))
  )
  return files.set('search.json', fileOf('application/json', JSON.stringify(index)))
}

function fileOf(type: string, text: string) {
  return compressedFile(`${type}; charset=utf-8`, async () => Buffer.from(text))
}
