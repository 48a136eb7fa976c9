import { escapeHtml } from '../text/escape.ts'
import type { Page } from './page.ts'

/** The page of an address that leads nowhere. `basePath` is the path that a proxy removes. */
export function unknownPage(basePath: string): Page {
  const linkTo = (path: string, words: string) => `<a href="${escapeHtml(basePath)}${path}">${words}</a>`
  return {
    title: 'There is no such page',
    main: `<h1>There is no such page</h1>
<p>Check the address, or begin with ${linkTo('/docs/', 'the guides')} or ${linkTo('/v1/docs/', 'the API reference')}.</p>`
  }
}
