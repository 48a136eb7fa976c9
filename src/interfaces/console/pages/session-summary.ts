import { z } from 'zod'
import { AdminSessionChange } from '../../../contract/admin/session.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { getSession, updateSession } from '../../../features/sessions/operations.ts'
import { sessionTag } from '../../../features/sessions/precondition.ts'
import { html } from '../../web/html.ts'
import { conflictView, onConflict } from '../conflict.ts'
import { type Console, NONE } from '../open-console.ts'
import { SessionParams } from '../session-address.ts'

/** A browser sends line breaks as two characters, which would count twice. */
const Summary = z.object({
  tag: z.string().regex(/^s[\w-]{27}$/, 'the form as the page has it'),
  summary: z
    .string()
    .transform((text): string | undefined => text.replaceAll('\r\n', '\n'))
    .pipe(AdminSessionChange.shape.summary)
})

/** The characters of a summary with each one escaped as in a form. */
const SUMMARY_BYTES = 12 * LIMITS.summary + LIMITS.bodyBytes

/** Saves the summary that is edited on the page of its session. */
export function sessionSummary({ services, user }: Console) {
  const shapes = { ...NONE, params: SessionParams, body: Summary }
  user.form(
    '/s/:id/summary',
    shapes,
    async (visit, { params: { id }, body: { tag, summary: mine = '' } }) => {
      const { actor } = visit.visitor
      const precondition = { versions: [], tags: [tag] }
      return await updateSession(services, actor, id, { summary: mine }, { precondition })
        .then(() => ({ to: `/s/${id}#summary` }))
        .catch(
          onConflict(async () => {
            const session = await getSession(services, actor, id)
            const fields = html`<input type="hidden" name="tag" value="${sessionTag(session)}">
<textarea name="summary" dir="auto" rows="18" aria-label="Your summary">
${mine}</textarea><button>Save mine</button>`
            return conflictView({
              mine: visit.form(`/s/${id}/summary`, fields),
              theirs: html`<p class="as-is" dir="auto">${session.summary ?? ''}</p>`,
              keep: visit.link(`/s/${id}#summary`)
            })
          })
        )
    },
    { bodyLimit: SUMMARY_BYTES }
  )
}
