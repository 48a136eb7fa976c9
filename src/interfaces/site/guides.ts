import { readdir, readFile } from 'node:fs/promises'
import { type Guide, renderGuide } from './guide-markdown.ts'

const FOLDER = new URL('../../../docs/', import.meta.url)

/** A group of the navigation with its pages, in the order of the index. */
export interface NavigationGroup {
  name: string
  pages: { path: string; title: string }[]
}

export interface Guides {
  /** By path; that of the index is the empty string. */
  pages: Map<string, Guide>
  navigation: NavigationGroup[]
}

/** The server in the examples of the guides, except where a proxy forwards to it. */
const EXAMPLE_SERVER = /(?<!proxy_pass )http:\/\/127\.0\.0\.1:8080/g

/**
 * Reads and renders every page of `docs/`, one after the other. The index, `docs/README.md`, orders the navigation. The examples are
 * about this server.
 */
export async function loadGuides(publicUrl: string): Promise<Guides> {
  const pages = new Map<string, Guide>()
  let navigation: NavigationGroup[] = []
  for (const name of await readdir(FOLDER, { recursive: true })) {
    if (!name.endsWith('.md')) continue
    const path = name.replace(/\.md$/, '')
    const text = await readPage(name, publicUrl)
    pages.set(path === 'README' ? '' : path, renderGuide(path, text))
    if (path === 'README') navigation = navigationOf(text)
  }
  return { pages, navigation }
}

/** The Markdown of all pages in the order of the index, with the addresses of the pages to which their links lead. */
export async function readWholeGuide(publicUrl: string) {
  const paths = navigationOf(await readIndex()).flatMap(({ pages }) => pages.map(({ path }) => path))
  const texts: string[] = []
  for (const path of paths) {
    const text = await readPage(`${path}.md`, publicUrl)
    const at = new URL(`${publicUrl}/docs/${path}.md`)
    texts.push(text.replace(PAGE_LINK, (_, link: string) => `](${new URL(link, at)})`).trim())
  }
  return texts.join('\n\n')
}

/** A link to another page, relative to its own. */
const PAGE_LINK = /\]\(((?![a-z]+:|\/|#)[^()\s]{1,200})\)/g

async function readPage(name: string, publicUrl: string) {
  return (await readFile(new URL(name, FOLDER), 'utf8')).replace(EXAMPLE_SERVER, () => publicUrl)
}

/** The Markdown of the index. */
export async function readIndex() {
  return await readFile(new URL('README.md', FOLDER), 'utf8')
}

/** The groups of the index: a heading of the second level, then a list whose items begin with the link to a page. */
function navigationOf(index: string) {
  const groups: NavigationGroup[] = []
  for (const line of index.split('\n')) {
    const [, name] = /^## (.+)$/.exec(line) ?? []
    if (name) groups.push({ name, pages: [] })
    const [, title, path] = /^- \[(.+?)\]\((.+?)\.md\)/.exec(line) ?? []
    if (title && path) groups.at(-1)?.pages.push({ path, title })
  }
  return groups
}
