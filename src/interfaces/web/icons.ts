import { type Html, html } from './html.ts'

/** The drawings of the icons, in a square of 24. A page has those that it uses, once. */
const DRAWINGS = {
  sessions: '<path d="M4 6.5h16M4 12h16M4 17.5h10"/>',
  search: '<circle cx="11" cy="11" r="6.2"/><path d="m20 20-4.4-4.4"/>',
  upload: '<path d="M12 15.5v-11M7.5 9 12 4.5 16.5 9M4.5 15.5V18a2 2 0 0 0 2 2h11a2 2 0 0 0 2-2v-2.5"/>',
  items: '<rect x="4" y="4" width="16" height="16" rx="4"/><path d="m8.5 12 2.5 2.5 4.5-5"/>',
  people:
    '<circle cx="9" cy="8.5" r="3.5"/><path d="M3 19.5c.6-3.6 3-5.3 6-5.3s5.4 1.7 6 5.3M16 5.3a3.3 3.3 0 0 1 0 6.4M18 14.6c1.7.8 2.7 2.5 3 4.9"/>',
  shared: '<path d="M20 12v6a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-6M12 4v10M8 10l4 4 4-4"/>',
  overview: '<path d="M5 20v-7M12 20V4M19 20V10"/>',
  folder: '<path d="M3.5 7.5a2 2 0 0 1 2-2h3.3l2 2.2h7.7a2 2 0 0 1 2 2v7.3a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z"/>',
  settings:
    '<path d="M4 7.5h9M17 7.5h3M4 16.5h3M11 16.5h9"/><circle cx="15" cy="7.5" r="2"/><circle cx="9" cy="16.5" r="2"/>',
  operator: '<path d="M12 3.5 19 6v5.5c0 4.5-2.9 7.5-7 9-4.1-1.5-7-4.5-7-9V6z"/>',
  help: '<circle cx="12" cy="12" r="8.5"/><path d="M9.6 9.6c.2-1.4 1.2-2.2 2.5-2.2 1.4 0 2.4.9 2.4 2.1 0 1.8-2.4 1.9-2.4 3.9M12 16.5v.1"/>',
  more: '<path d="M5.5 12h.01M12 12h.01M18.5 12h.01" stroke-width="2.8"/>',
  out: '<path d="M14 4.5h3.5a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2H14M10 8l-4 4 4 4M6.5 12H15"/>',
  down: '<path d="m6 9.5 6 6 6-6"/>',
  x: '<path d="m6.5 6.5 11 11M17.5 6.5l-11 11"/>',
  star: '<path d="m12 4 2.4 5 5.6.7-4.1 3.8 1.1 5.5-5-2.7L7 19l1.1-5.5L4 9.7 9.6 9z"/>',
  meeting:
    '<circle cx="8" cy="9" r="3"/><circle cx="16.5" cy="9.5" r="2.5"/><path d="M2.5 18.5c.5-3 2.6-4.5 5.5-4.5s5 1.5 5.5 4.5M16 14.3c3 0 4.9 1.4 5.5 4.2"/>',
  phone:
    '<path d="M6.5 4h3l1.5 4-2 1.5a11 11 0 0 0 5.5 5.5l1.5-2 4 1.5v3a2 2 0 0 1-2.2 2C10.9 19 5 13.1 4.5 6.2A2 2 0 0 1 6.5 4z"/>',
  recording: '<circle cx="12" cy="12" r="8.5"/><circle cx="12" cy="12" r="2.8"/>',
  podcast: '<rect x="9" y="3.5" width="6" height="10" rx="3"/><path d="M5.5 11a6.5 6.5 0 0 0 13 0M12 17.5v3"/>',
  import: '<path d="M7 3.5h7l4 4v13H7zM14 3.5v4h4M10 12h5M10 15.5h5"/>',
  youtube: '<rect x="3" y="5.5" width="18" height="13" rx="3.5"/><path d="m10.5 9.5 4 2.5-4 2.5z"/>',
  desktop: '<rect x="3.5" y="4.5" width="17" height="11.5" rx="2"/><path d="M9 20h6M12 16v4"/>',
  warn: '<path d="M12 4 21 19.5H3zM12 10v4M12 16.8v.1"/>',
  spin: '<path d="M12 3.5a8.5 8.5 0 1 1-8.5 8.5"/>',
  download: '<path d="M12 4v11.5M7.5 11l4.5 4.5 4.5-4.5M4.5 20h15"/>',
  play: '<path d="M8 5.5v13l10.5-6.500z" fill="currentColor" stroke="none"/>',
  pause: '<path d="M8.500 6v12M15.500 6v12" stroke-width="2.600"/>',
  back: '<path d="M4.500 5v5h5M4.800 10a7.500 7.500 0 1 1-.8 4.500"/>',
  ahead: '<path d="M19.500 5v5h-5M19.200 10a7.500 7.500 0 1 0 .8 4.500"/>',
  left: '<path d="m14.500 6-6 6 6 6"/>',
  trash: '<path d="M4.5 7h15M9.5 7V4.5h5V7M6.5 7l1 13h9l1-13"/>'
}

export type Icon = keyof typeof DRAWINGS

/** An icon. One without words is beside words that say the same. */
export function icon(name: Icon, words?: string): Html {
  if (words === undefined) return html`<svg class="i" aria-hidden="true"><use href="#i-${name}"/></svg>`
  return html`<svg class="i" role="img" aria-label="${words}"><use href="#i-${name}"/></svg>`
}

/** The drawings of the icons that a markup uses. */
export function spriteFor(markup: string): string {
  const used = new Set(Array.from(markup.matchAll(/<use href="#i-(\w+)"/g), ([, name]) => name))
  const symbols = Object.entries(DRAWINGS).flatMap(([name, drawing]) =>
    used.has(name) ? [`<symbol id="i-${name}" viewBox="0 0 24 24">${drawing}</symbol>`] : []
  )
  return symbols.length === 0 ? '' : `<svg class="sprite" aria-hidden="true">${symbols.join('')}</svg>`
}

/** The sign of the product: five voices of different length. */
export const SIGN = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3.5 10v4M7.750 6.5v11M12 9.5v5M16.250 3.5v17M20.5 8.5v7"/></svg>`

/** Bars of a conversation of three voices, for places that have no session to show. */
export const STRIP = stripOf()

function stripOf() {
  const voices = [1, 2, 3].map(voice => ({ voice, path: '' }))
  for (let at = 0; at < 96; at++) {
    const height = 8 + 32 * Math.abs(Math.sin(at * 1.7) * Math.sin(at * 0.37 + 1))
    const one = voices[Math.floor(3 * Math.abs(Math.sin(Math.floor(at / 7) * 2.3)))]
    if (one) one.path += `M${at * 6 + 3} ${(48 - height).toFixed(0)}v${(2 * height).toFixed(0)}`
  }
  const paths = voices.map(({ voice, path }) => html`<path class="v${voice}" d="${path}"/>`)
  return html`<svg class="strip" viewBox="0 0 576 96" preserveAspectRatio="none" aria-hidden="true">${paths}</svg>`
}
