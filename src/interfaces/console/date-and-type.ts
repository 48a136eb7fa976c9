import type { AdminSession } from '../../contract/admin/session.ts'
import { SESSION_TYPES } from '../../contract/session.ts'
import { localTime } from '../../platform/text/wall-time.ts'
import { type Html, html, when } from '../web/html.ts'
import { selectField } from './fields.ts'
import type { Visit } from './visit.ts'

/** The date of a session as a field of a form shows it: to the minute, in the zone of the user. */
function shownDate({ timestamp }: Pick<AdminSession, 'timestamp'>, timeZone: string | undefined) {
  return timestamp === null ? '' : localTime(new Date(timestamp), timeZone ?? 'UTC').slice(0, 16)
}

/** A form for when a conversation took place and what kind it is. A call stays a call. */
export function dateAndTypeForm({ form, visitor }: Pick<Visit, 'form' | 'visitor'>, session: AdminSession): Html {
  const { id, type } = session
  const choices = SESSION_TYPES.filter(one => one !== 'phone').map(one => ({ value: one, words: one }))
  const shown = shownDate(session, visitor?.timeZone)
  return form(
    `/s/${id}/date`,
    html`<input type="hidden" name="shown" value="${shown}">
<label>Took place at<input type="datetime-local" name="timestamp" value="${shown}"></label>
${when(type !== 'phone', () => selectField('type', 'Type', choices, type))}<button>Save</button>`
  )
}
