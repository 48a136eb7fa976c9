import { type Html, html, when } from './html.ts'
import type { View, Visit } from './visit.ts'

const TABS = [
  { tab: 'profile', name: 'Profile', path: '/settings' },
  { tab: 'tokens', name: 'Tokens', path: '/settings/tokens' },
  { tab: 'agents', name: 'Connected agents', path: '/settings/agents' },
  { tab: 'webhooks', name: 'Webhooks', path: '/settings/webhooks' }
] as const

/** A page of the settings, with the navigation between them. */
export function settingsView(
  { link }: Pick<Visit, 'link'>,
  tab: (typeof TABS)[number]['tab'],
  { title, main, status = 200 }: { title: string; main: Html; status?: number }
): View {
  const tabs = TABS.map(
    one => html`<a href="${link(one.path)}"${when(one.tab === tab, () => html` aria-current="page"`)}>${one.name}</a>`
  )
  return {
    title,
    status,
    part: 'settings',
    main: html`<nav class="tabs" aria-label="Settings">${tabs}</nav>
<h1>${title}</h1>
${main}`
  }
}
