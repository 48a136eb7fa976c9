import { type Html, html, when } from '../web/html.ts'
import type { View, Visit } from './visit.ts'

interface Tabs {
  part: NonNullable<View['part']>
  name: string
  tabs: readonly { name: string; path: string }[]
}

export interface TabPage {
  title: string
  main: Html
  status?: number
}

/** A page of a part that has several, with the navigation between them. */
export function tabbedView(
  { link }: Pick<Visit, 'link'>,
  { part, name, tabs }: Tabs,
  current: string,
  { title, main, status = 200 }: TabPage
): View {
  const links = tabs.map(
    tab =>
      html`<a href="${link(tab.path)}"${when(tab.path === current, () => html` aria-current="page"`)}>${tab.name}</a>`
  )
  return {
    title,
    status,
    part,
    main: html`<h1 dir="auto">${title}</h1>
<nav class="tabs" aria-label="${name}">${links}</nav>
${main}`
  }
}
