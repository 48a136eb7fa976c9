import type { AdminSession } from '../../contract/admin/session.ts'
import { LIMITS } from '../../contract/limits.ts'
import { sessionTag } from '../../features/sessions/precondition.ts'
import { type Html, html, when } from '../web/html.ts'
import type { Visit } from './visit.ts'

/** The summary, or the field to edit it in its place. */
export function summarySection(
  visit: Pick<Visit, 'form' | 'link'>,
  session: AdminSession,
  shown: Html,
  isEdited: boolean
): Html {
  const { id, summary } = session
  const edit = html`<a class="edit" href="${visit.link(`/s/${id}?open=summary#summary`)}">${summary ? 'Edit the summary' : 'Write a summary'}</a>`
  if (isEdited) return html`<section id="summary"><h2>Summary</h2>${summaryForm(visit, session)}</section>`
  return html`<section id="summary"><h2 class="hidden">Summary</h2>${when(summary, () => html`<div class="prose" dir="auto">${shown}</div>`)}${edit}</section>`
}

function summaryForm({ form, link }: Pick<Visit, 'form' | 'link'>, session: AdminSession): Html {
  const { id, summary } = session
  return form(
    `/s/${id}/summary`,
    html`<input type="hidden" name="tag" value="${sessionTag(session)}">
<textarea name="summary" dir="auto" rows="18" maxlength="${LIMITS.summary}" aria-label="Summary" required autofocus>
${summary ?? ''}</textarea>
<p class="hint">Headings, lists and emphasis are Markdown. An edited summary is yours: its lines lose the times of the moments.</p>
<div class="actions"><button>Save the summary</button><a href="${link(`/s/${id}#summary`)}">Cancel</a></div>`
  )
}
