import type { AdminSession } from '../../contract/admin/session.ts'
import type { Folder } from '../../contract/folder.ts'
import type { Retention } from '../../contract/retention.ts'
import { type Html, html, when } from '../web/html.ts'
import type { Visit } from './visit.ts'

/** “for 30 days”, or “for ever”. */
export function keptFor(days: number | null) {
  if (days === null) return 'for ever'
  return days === 1 ? 'for a day' : `for ${days} days`
}

/** Says for how long a session and its recording are kept, with a button that keeps them for ever. Without retention there is nothing to say. */
export function retentionPanel(
  { form }: Pick<Visit, 'form'>,
  { id, keep = false }: AdminSession,
  folders: readonly Folder[],
  retention: Retention
): Html | '' {
  const { audio_days: audioDays, session_days: sessionDays } = retention
  if (audioDays === null && sessionDays === null && !keep) return ''
  const keeping = folders.find(folder => folder.keep)
  const words = keep
    ? html`This conversation is kept for ever.`
    : keeping
      ? html`Kept for ever, like everything in <bdi>${keeping.name}</bdi>.`
      : html`${when(sessionDays !== null, () => html`Conversations are kept ${keptFor(sessionDays)}. `)}${when(
          audioDays !== null,
          () => html`Recordings are kept ${keptFor(audioDays)}.`
        )}`
  const button = html`<input type="hidden" name="keep" value="${String(!keep)}"><button class="plain">${keep ? 'Do not keep for ever' : 'Keep for ever'}</button>`
  return html`<div id="keep"><p class="quiet">${words}</p>${when(keep || !keeping, () => form(`/s/${id}/keep`, button))}</div>`
}
