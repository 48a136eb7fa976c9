import { z } from 'zod'
import { FIELD_LIMITS } from '../../contract/limits.ts'
import { SessionListQuery } from '../../contract/session.ts'
import { listSessions } from '../../sessions/operations.ts'
import { atTime, lengthOf } from '../dates.ts'
import { type Html, html, when } from '../html.ts'
import { type Console, NONE } from '../open-console.ts'
import type { Visit } from '../visit.ts'

const Query = z.object({ cursor: z.string().max(FIELD_LIMITS.cursor).optional() })

type Row = Awaited<ReturnType<typeof listSessions>>['sessions'][number]

/** The user's own sessions, newest first. */
export function sessionsPage({ services, user }: Console) {
  user.page('/', { ...NONE, query: Query }, async (visit, { query }) => {
    const { visitor, link, log } = visit
    const request = SessionListQuery.parse(query)
    const { sessions, next_cursor: next } = await listSessions({ ...services, log }, visitor.actor, request)
    const rows = sessions.map(session => row(visit, session, visitor.timeZone))
    return {
      title: 'Sessions',
      part: 'sessions',
      main: html`<h1>Sessions</h1>
${
  rows.length > 0
    ? html`<ul class="rows">${rows}</ul>`
    : html`<p class="empty">There is nothing yet. <a href="${link('/docs/api/import')}">Import a conversation</a>.</p>`
}
${when(next, () => html`<p class="more"><a href="${link(`/?${new URLSearchParams({ cursor: String(next) })}`)}">Older ones</a></p>`)}`
    }
  })
}

function row({ link }: Pick<Visit, 'link'>, session: Row, timeZone: string): Html | '' {
  if (!('duration_seconds' in session)) return ''
  const { id, title, timestamp, duration_seconds: seconds, type } = session
  const about = [timestamp ? atTime(new Date(timestamp), timeZone) : 'without a date', type]
  if (seconds > 0) about.push(lengthOf(seconds))
  if ('status' in session && session.status !== 'completed') about.push(String(session.status))
  return html`<li><a href="${link(`/s/${id}`)}"><strong dir="auto">${title}</strong>
<span>${about.join(', ')}</span></a></li>`
}
