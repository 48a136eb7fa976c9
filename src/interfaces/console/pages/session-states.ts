import { retrySession } from '../../../features/ingest/retry.ts'
import { deleteSession, getSession, restoreSession } from '../../../features/sessions/operations.ts'
import { html } from '../../web/html.ts'
import { type Console, NONE } from '../open-console.ts'
import { SessionParams } from '../session-address.ts'

/** The trash, permanent deletion, and a second attempt at what failed. */
export function sessionStates({ services, user }: Console) {
  const shapes = { ...NONE, params: SessionParams }

  user.form('/s/:id/trash', shapes, async ({ visitor }, { params: { id } }) => {
    await deleteSession(services, visitor.actor, id, 'trash')
    return { to: `/s/${id}` }
  })

  user.form('/s/:id/restore', shapes, async ({ visitor }, { params: { id } }) => {
    await restoreSession(services, visitor.actor, id)
    return { to: `/s/${id}` }
  })

  user.form('/s/:id/retry', shapes, async ({ visitor }, { params: { id } }) => {
    await retrySession(services, visitor.actor, id)
    return { to: `/s/${id}` }
  })

  user.page('/s/:id/delete', shapes, async ({ visitor, form, link }, { params: { id } }) => {
    const { title } = await getSession(services, visitor.actor, id)
    return {
      title: 'Delete permanently',
      part: 'sessions',
      narrow: true,
      main: html`<h1>Delete this session permanently?</h1>
<p class="title" dir="auto">${title}</p>
<p>Its transcript, summary, notes, action items and recording are deleted, and everyone it is shared with loses it. Nobody can restore it.</p>
<div class="actions">${form(`/s/${id}/delete`, html`<button class="bad">Delete permanently</button>`)}
<a href="${link(`/s/${id}`)}">Keep it</a></div>`
    }
  })

  user.form('/s/:id/delete', shapes, async ({ visitor }, { params: { id } }) => {
    await deleteSession(services, visitor.actor, id, 'gone', { inTrash: true })
    return { to: '/' }
  })
}
