import { type TabPage, tabbedView } from './tabs.ts'
import type { Visit } from './visit.ts'

const SETTINGS = {
  part: 'settings',
  name: 'Settings',
  tabs: [
    { name: 'Profile', path: '/settings' },
    { name: 'Tokens', path: '/settings/tokens' },
    { name: 'Connected agents', path: '/settings/agents' },
    { name: 'Webhooks', path: '/settings/webhooks' },
    { name: 'Export', path: '/settings/export' }
  ]
} as const

type SettingsPath = (typeof SETTINGS)['tabs'][number]['path']

/** A page of the settings. */
export function settingsView(visit: Pick<Visit, 'link'>, path: SettingsPath, page: TabPage) {
  return tabbedView(visit, SETTINGS, path, page)
}
