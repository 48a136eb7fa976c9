import type { FastifyReply } from 'fastify'
import { renderDocument, sendDocument } from '../web/document.ts'
import { type Html, html, when } from './html.ts'
import type { View, Visit } from './visit.ts'

const PARTS = [
  { part: 'sessions', name: 'Sessions', path: '/' },
  { part: 'shared', name: 'Shared with me', path: '/shared' },
  { part: 'settings', name: 'Settings', path: '/settings' }
] as const

/** Answers with a page in the console's layout. */
export async function sendView(reply: FastifyReply, visit: Visit, view: View) {
  const { title, main, status = 200, narrow = false, mediaOrigin } = view
  const body = html`${header(visit, view)}
<main id="content" class="${narrow ? 'narrow' : 'page'}">
${main}
</main>`
  return sendDocument(
    reply,
    status,
    renderDocument({ title: `${title} · Parlance`, base: reply.server.basePath, body: String(await body) }),
    mediaOrigin
  )
}

function header(visit: Visit, { part }: View): Html {
  const { visitor, link, form } = visit
  const parts = visitor?.guest ? PARTS.filter(({ part }) => part === 'shared') : PARTS
  const entries = parts.map(
    entry =>
      html`<a href="${link(entry.path)}"${when(entry.part === part, () => html` aria-current="page"`)}>${entry.name}</a>`
  )
  return html`<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<a class="name" href="${link('/')}">Parlance</a>
${when(visitor, () => html`<nav class="parts" aria-label="Console">${entries}</nav>`)}
<span class="account">${
    visitor
      ? html`<span class="who" title="${visitor.email ?? ''}"><bdi>${visitor.name ?? visitor.email ?? 'Signed in'}</bdi></span>${form('/sign-out', html`<button class="plain">Sign out</button>`)}`
      : html`<a href="${link('/docs/')}">Guides</a> <a href="${link('/sign-in')}">Sign in</a>`
  }</span>
</header>`
}
