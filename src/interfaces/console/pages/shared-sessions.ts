import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { listSharedSessions } from '../../../features/sharing/recipient-operations.ts'
import { html, when } from '../../web/html.ts'
import { moreLink } from '../cards.ts'
import { onDay } from '../dates.ts'
import { type Console, NONE } from '../open-console.ts'
import { addressOf } from '../query-form.ts'

const Query = z.object({ cursor: z.string().max(500).optional() })

/** The sessions that others share with the visitor, most recently shared first. */
export function sharedSessionsPage({ services, reader }: Console) {
  reader.page('/shared', { ...NONE, query: Query }, async ({ visitor, link }, { query: { cursor } }) => {
    const { sessions, next_cursor: next } = await listSharedSessions(services, visitor.actor, {
      limit: LIMITS.sharedPage.default,
      cursor
    })
    const rows = sessions.map(
      ({
        id,
        owner,
        title,
        shared_at: at
      }) => html`<li><a href="${link(`/shared/${owner.id}/${id}`)}"><strong dir="auto">${title}</strong>
<span>from <bdi>${owner.name ?? 'somebody'}</bdi>${when(at, () => html`, shared ${onDay(new Date(at ?? 0), visitor.timeZone)}`)}</span></a></li>`
    )
    return {
      title: 'Shared with me',
      part: 'shared',
      main: html`<h1>Shared with me</h1>
${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p class="empty">Nobody shares a conversation with you now.</p>`}
${moreLink(next, older => link(addressOf('/shared', { cursor: older })), 'Older ones')}`
    }
  })
}
