import type { Visitor } from '../../features/sign-in/sign-in.ts'
import { type Html, html, when } from '../web/html.ts'
import { type Icon, icon, SIGN, STRIP } from '../web/icons.ts'
import { face } from './faces.ts'
import { inWords } from './numbers.ts'
import type { View, Visit } from './visit.ts'

interface Entry {
  part: View['part']
  name: string
  path: string
  icon: Icon
  /** Only on a phone: the desktop has a field or a button for it. */
  phone?: boolean
}

const PLACES: readonly Entry[] = [
  { part: 'sessions', name: 'Sessions', path: '/', icon: 'sessions' },
  { part: 'search', name: 'Search', path: '/search', icon: 'search', phone: true },
  { part: 'upload', name: 'Upload', path: '/upload', icon: 'upload', phone: true },
  { part: 'items', name: 'Action items', path: '/action-items', icon: 'items' }
]

const LIBRARY: readonly Entry[] = [
  { part: 'people', name: 'People', path: '/people', icon: 'people' },
  { part: 'shared', name: 'Shared with me', path: '/shared', icon: 'shared' },
  { part: 'overview', name: 'Overview', path: '/overview', icon: 'overview' }
]

const SETTINGS: Entry = { part: 'settings', name: 'Settings', path: '/settings', icon: 'settings' }
const OPERATOR: Entry = { part: 'operator', name: 'Operator', path: '/operator/users', icon: 'operator' }
const GUIDES: Entry = { part: 'guides', name: 'Guides and API', path: '/docs/', icon: 'help' }

/**
 * The navigation of a user, at the side, or at the bottom of a phone. Undefined on pages that have none: those of a guest or a stranger, messages, and the
 * guides, which have their own.
 */
export function railOf(visit: Visit, { part, side, narrow, door }: View): Html | undefined {
  const { visitor, link, form, cookies } = visit
  if (!visitor || visitor.guest || side || narrow || door) return undefined
  const list = (entries: readonly Entry[]) => entries.map(entry => entryLink(link, entry, part))
  return html`<header class="rail" data-keys="${cookies.usesKeys() ? 'on' : 'off'}">
${brand(link)}
<form class="seek" role="search" aria-label="Everywhere" action="${link('/search')}"><label class="hidden" for="seek">Search everywhere</label>
<input id="seek" type="search" name="q" placeholder="Search" autocomplete="off" required>${icon('search')}${when(cookies.usesKeys(), () => html`<kbd aria-hidden="true">/</kbd>`)}</form>
<a class="button new" href="${link('/upload')}"${when(part === 'upload', () => html` aria-current="page"`)}>${icon('upload')}Upload</a>
<nav class="places" aria-label="Parlance">${list(PLACES)}</nav>
<details class="more-parts phone"><summary>${icon('more')}More</summary></details>
<div class="rest"><nav aria-label="Library">${list(LIBRARY)}</nav>
${foldersNav(visit, part)}
<div class="foot"><nav aria-label="Settings and help">${list(visitor.operator ? [SETTINGS, OPERATOR, GUIDES] : [SETTINGS, GUIDES])}</nav>
<div class="me">${face(nameOf(visitor))}${whoIs(visitor)}${form('/sign-out', html`<button class="icon" aria-label="Sign out">${icon('out')}</button>`)}</div></div></div>
</header>`
}

function foldersNav({ link, pinned = [], address }: Visit, part: View['part']): Html {
  const folders = pinned.map(({ id, name, count }) => {
    const path = `/?${new URLSearchParams({ folder: id })}`
    return html`<a href="${link(path)}"${when(address === path, () => html` aria-current="page"`)}>${icon('folder')}<span dir="auto">${name}</span><span class="num">${inWords(count)}</span></a>`
  })
  return html`<nav aria-label="Folders"><h2>Folders<a href="${link('/folders')}"${when(part === 'folders', () => html` aria-current="page"`)} aria-label="All folders">All</a></h2>${folders}</nav>`
}

function entryLink(link: Visit['link'], entry: Entry, part: View['part']): Html {
  return html`<a href="${link(entry.path)}"${when(entry.phone, () => html` class="phone"`)}${when(entry.part === part, () => html` aria-current="page"`)}>${icon(entry.icon)}<span>${entry.name}</span></a>`
}

/** The bar above a page without the rail. A user finds the way back to the sessions in it, a guest what was shared. */
export function topBar({ visitor, link, form }: Visit, { part }: View): Html {
  const own = visitor
    ? visitor.guest
      ? [{ part: 'shared', name: 'Shared with me', path: '/shared' }]
      : [
          { part: 'sessions', name: 'Sessions', path: '/' },
          { part: 'upload', name: 'Upload', path: '/upload' },
          { part: 'settings', name: 'Settings', path: '/settings' }
        ]
    : []
  const parts = [
    ...own,
    { part: 'guides', name: 'Guides', path: '/docs/' },
    { part: 'reference', name: 'API', path: '/v1/docs/' }
  ]
  const entries = parts.map(
    entry =>
      html`<a href="${link(entry.path)}"${when(entry.part === part, () => html` aria-current="page"`)}>${entry.name}</a>`
  )
  const signOut = form('/sign-out', html`<button class="plain">Sign out</button>`)
  return html`<header class="topbar">
${brand(link)}
<nav aria-label="Parlance">${entries}</nav>
<div class="account">${visitor ? html`${whoIs(visitor)}${when(visitor.guest, () => html`<a href="${link('/sign-in')}">Sign in</a>`)}${signOut}` : html`<a href="${link('/sign-in')}">Sign in</a>`}</div>
</header>`
}

export function brand(link: Visit['link']): Html {
  return html`<a class="brand" href="${link('/')}">${SIGN}Parlance</a>`
}

function nameOf({ name, email }: Visitor) {
  return name ?? email ?? 'Signed in'
}

function whoIs(visitor: Visitor): Html {
  return html`<span class="who" title="${visitor.email ?? ''}"><bdi>${nameOf(visitor)}</bdi></span>`
}

/** Beside the sign-in: what the product is for. */
export const DOOR_SIDE = html`<aside aria-label="About Parlance">${STRIP}
<p>Who said what, and when.</p><p>Every line of a summary leads to the moment it was said.</p></aside>`
