import { z } from 'zod'
import type { Offer } from '../../../features/sharing/claim.ts'
import { acceptShare, getShareOffer } from '../../../features/sharing/recipient-operations.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import { html, when } from '../../web/html.ts'
import { codeForm } from '../code-form.ts'
import { onDay } from '../dates.ts'
import { type Console, NONE } from '../open-console.ts'
import { PICTURE } from '../picture.ts'
import { SHARE_PARTS } from '../share-parts.ts'
import { askerOf, type View, type Visit } from '../visit.ts'

const Secret = z.object({ secret: z.string() })

/** The pages of links and invites. Opening one accepts nothing; its button does. */
export function joinPages({ services, anyone }: Console) {
  anyone.page('/join/:secret', { ...NONE, params: Secret }, async (visit, { params: { secret } }) => {
    const offer = await findOffer(secret)
    return offer ? offerView(visit, offer, secret) : goneView(visit)
  })

  anyone.form('/join/:secret', { ...NONE, params: Secret }, async (visit, { params: { secret } }) => {
    const { visitor, cookies } = visit
    const opener = {
      actor: visitor?.actor,
      guest: visitor?.guest ?? false,
      email: visitor?.email ?? null,
      asker: askerOf(visit)
    }
    const accepted = await acceptShare(services, opener, secret).catch(orGone)
    if (!accepted) return goneView(visit)
    const here = `/join/${secret}`
    if (accepted.outcome === 'sign-in') return { to: `/sign-in?${new URLSearchParams({ next: here })}` }
    if (accepted.outcome === 'mailed') {
      cookies.remember(here)
      cookies.rememberAsked(accepted.linkId)
      return { to: '/join/sent' }
    }
    if (accepted.cookie !== undefined) cookies.signIn({ cookie: accepted.cookie, guest: true })
    return { to: `/shared/${accepted.ownerId}/${accepted.sessionId}` }
  })

  anyone.page('/join/sent', NONE, async visit => mailedView(visit))

  async function findOffer(secret: string) {
    return await getShareOffer(services, secret).catch(orGone)
  }
}

/** An unknown, expired, used and withdrawn secret are one, so that the page reveals nothing. */
function orGone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
}

function offerView({ visitor, form, link }: Visit, offer: Offer, secret: string): View {
  const { ownerName, title, scope, hasRecording, kind, expiresAt } = offer
  const parts = SHARE_PARTS.filter(([part]) => part !== 'audio' || hasRecording).map(([part, name]) =>
    scope[part] ? html`<li>${name}</li>` : html`<li class="not">${name}, not shared</li>`
  )
  const who = kind === 'link' ? 'Anyone with this link can accept it' : 'One person can accept it'
  const needsSignIn = kind === 'link' && (!visitor || visitor.guest)
  const address = `/join/${secret}`
  return {
    title: 'A conversation is shared with you',
    narrow: true,
    main: html`${PICTURE}
<h1>${ownerName ? html`<bdi>${ownerName}</bdi>` : 'Somebody'} shares a conversation with you</h1>
<p class="title"><bdi>${title}</bdi></p>
<h2>What you can read and hear</h2>
<ul class="have">
${parts}
</ul>
${
  needsSignIn
    ? html`<p><a class="button" href="${link(`/sign-in?${new URLSearchParams({ next: address })}`)}">Sign in to open it</a></p>`
    : form(address, html`<button>Open it</button>`)
}
${when(visitor && !visitor.guest, () => html`<p class="quiet">You open it as <bdi>${visitor?.email ?? visitor?.name ?? 'yourself'}</bdi>.</p>`)}
<p class="quiet end">${who}, until ${onDay(expiresAt)}. Loading this page does not accept it. If you do not know the sender, ignore it.</p>`
  }
}

/** The page of every address that leads nowhere. It is the same for every reason. */
function goneView({ link, visitor }: Visit): View {
  return {
    title: 'This link does not open anything now',
    status: 404,
    narrow: true,
    main: html`${PICTURE}
<h1>This link does not open anything now</h1>
<p>It may be one of these:</p>
<ul>
<li>You accepted it before. Then the conversation is in ${
      visitor
        ? html`<a href="${link('/shared')}">Shared with me</a>`
        : html`<a href="${link('/sign-in?next=%2Fshared')}">Shared with me</a>, once you have signed in with the address to which the mail came`
    }.</li>
<li>It has expired, or the sender withdrew it or removed the conversation. Ask them for another one.</li>
<li>Somebody else accepted it, or the address is incomplete. Copy the whole address from the mail.</li>
</ul>`
  }
}

function mailedView({ form }: Visit): View {
  return {
    title: 'Look into your mailbox',
    narrow: true,
    main: html`<h1>Look into your mailbox</h1>
<p>The mailbox of this invite belongs to somebody who reads here already, so it has to sign in. A link is on its way to it. Open it in this
browser; then you can open the conversation.</p>
${codeForm(form)}`
  }
}
