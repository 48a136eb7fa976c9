import type { Offer } from '../sharing/lookup.ts'
import { escapeHtml } from '../text/escape.ts'
import type { Page } from './page.ts'

/** The picture on the pages: two people who speak. */
const PICTURE = `<svg viewBox="0 0 44 44" fill="none" stroke="currentColor" stroke-width="3" stroke-linejoin="round" aria-hidden="true">
<path d="M5 8h22v15H15l-6 6v-6H5z"/><path d="M32 16h7v15h-4v6l-6-6H19v-3"/></svg>`

const PARTS: [keyof Offer['scope'], string][] = [
  ['summary', 'Summary'],
  ['transcript', 'Transcript'],
  ['audio', 'Recording'],
  ['action_items', 'Action items']
]

/** The page of a link or invite that can be claimed: who shares which session, and how to claim it. */
export function offerPage({ ownerName, title, scope, hasRecording, kind, expiresAt }: Offer, url: string): Page {
  const there = PARTS.filter(([part]) => part !== 'audio' || hasRecording)
  const parts = there.map(
    ([part, name]) => `<li${scope[part] ? '' : ' class="not"'}>${name}${scope[part] ? '' : ', not shared'}</li>`
  )
  const who = kind === 'link' ? 'Anyone with this link can accept it' : 'One person can accept it'
  const address = escapeHtml(url)
  return {
    title: 'A conversation is shared with you',
    main: `${PICTURE}
<h1>${ownerName ? `<bdi>${escapeHtml(ownerName)}</bdi>` : 'Somebody'} shares a conversation with you</h1>
<p class="title"><bdi>${escapeHtml(title)}</bdi></p>
<h2>What you can read and hear</h2>
<ul class="parts">
${parts.join('\n')}
</ul>
<h2>How to accept it</h2>
<ol>
<li>Sign in to the app that you use with this server.</li>
<li>Give it the address of this page:<code>${address}</code></li>
</ol>
<p class="quiet">Without an app, ask the operator of this server to accept it for you, with your address in this command:<code>npm run -s parlance -- share claim --user you@example.com ${address}</code></p>
<p class="quiet end">${who}, until ${day(expiresAt)}. Opening this page does not accept it. If you do not know the sender, ignore it.</p>`
  }
}

/** The page of any other address. It is the same for every reason, so that it reveals nothing. */
export const NO_OFFER_PAGE: Page = {
  title: 'This link does not work',
  main: `${PICTURE}
<h1>This link does not work</h1>
<p>It may be incomplete, expired, used or withdrawn.</p>
<p>Ask the sender for a new link.</p>`
}

/** The page of a shared session. The visitor is unknown, so it says how to read the session and shows nothing of it. */
export function sharedPage(publicUrl: string, ownerId: string, id: string): Page {
  const request = escapeHtml(`curl -H "Authorization: Bearer $TOKEN" ${publicUrl}/v1/shared-sessions/${ownerId}/${id}`)
  return {
    title: 'A shared conversation',
    main: `${PICTURE}
<h1>A shared conversation</h1>
<p>Its owner decides who can read it. This page cannot tell who you are, so it shows no content.</p>
<h2>How to read it</h2>
<ul class="ways">
<li>Sign in to the app that you use with this server. It lists what others share with you.</li>
<li>Or read it from the API with your token:<code>${request}</code></li>
</ul>
<p class="quiet end">If you do not find it there, you have no access. Ask its owner for a link or an invite.</p>`
  }
}

export const NO_PAGE: Page = {
  title: 'There is nothing here',
  main: `${PICTURE}
<h1>There is nothing here</h1>
<p>The address is incomplete. Ask the sender for a new link.</p>`
}

export function refusedPage(status: number): Page {
  const busy = status === 429
  return {
    title: busy ? 'Too many requests' : 'This did not work',
    main: `${PICTURE}
<h1>${busy ? 'Too many requests' : 'This did not work'}</h1>
<p>${busy ? 'Your network sent more requests than this server answers. Wait a minute, then load the page again.' : 'The server cannot answer now. Wait a moment, then load the page again.'}</p>`
  }
}

function day(at: Date) {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(at)
}
