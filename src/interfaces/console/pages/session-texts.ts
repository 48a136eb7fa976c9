import { z } from 'zod'
import { AdminSessionChange } from '../../../contract/admin/session.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { SessionChange } from '../../../contract/session-change.ts'
import { getSession, updateSession } from '../../../features/sessions/operations.ts'
import { sessionTag } from '../../../features/sessions/precondition.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { html } from '../../web/html.ts'
import { conflictView, onConflict } from '../conflict.ts'
import { type Console, NONE } from '../open-console.ts'
import { SessionParams } from '../session-address.ts'
import type { Answer, Visit } from '../visit.ts'

/** The state of a session that a form was made from, which guards against overwriting another change. */
export const SessionTag = z.string().regex(/^s[\w-]{27}$/, 'the form as the page has it')

/** A browser sends line breaks as two characters, which would count twice. */
const Text = z.string().transform((text): string | undefined => text.replaceAll('\r\n', '\n'))
const Notes = z.object({ tag: SessionTag, notes: Text.pipe(SessionChange.shape.notes) })
const Summary = z.object({ tag: SessionTag, summary: Text.pipe(AdminSessionChange.shape.summary) })

interface Edited {
  id: string
  /** The state of the session that the form was made from. */
  tag: string
  name: 'notes' | 'summary'
  text: string | undefined
  /** The lines of the field that shows both versions after a conflict. */
  rows: number
  /** The place on the page of the session. */
  place: string
}

/** The forms that change the notes and the summary of a session on its page. */
export function sessionTexts({ services, user }: Console) {
  user.form(
    '/s/:id/notes',
    { ...NONE, params: SessionParams, body: Notes },
    (visit, { params: { id }, body: { tag, notes } }) =>
      save(visit, { id, tag, name: 'notes', text: notes, rows: 12, place: 'your-notes' }),
    { bodyLimit: formBytes(LIMITS.notes) }
  )

  user.form(
    '/s/:id/summary',
    { ...NONE, params: SessionParams, body: Summary },
    (visit, { params: { id }, body: { tag, summary } }) =>
      save(visit, { id, tag, name: 'summary', text: summary, rows: 18, place: 'summary' }),
    { bodyLimit: formBytes(LIMITS.summary) }
  )

  async function save(visit: Visit<Visitor>, edited: Edited): Promise<Answer> {
    const { id, tag, name, text: mine = '', rows, place } = edited
    const { actor } = visit.visitor
    const change = name === 'notes' ? { notes: mine } : { summary: mine }
    return await updateSession(services, actor, id, change, { precondition: { versions: [], tags: [tag] } })
      .then(() => ({ to: `/s/${id}#${place}` }))
      .catch(
        onConflict(async () => {
          const session = await getSession(services, actor, id)
          const fields = html`<input type="hidden" name="tag" value="${sessionTag(session)}">
<textarea name="${name}" dir="auto" rows="${rows}" aria-label="Your ${name}">
${mine}</textarea><button>Save mine</button>`
          return conflictView({
            mine: visit.form(`/s/${id}/${name}`, fields),
            theirs: html`<p class="as-is" dir="auto">${session[name] ?? ''}</p>`,
            keep: visit.link(`/s/${id}#${place}`)
          })
        })
      )
  }
}

/** The bytes of a form with a text of at most so many characters, each one escaped. */
function formBytes(characters: number) {
  return 12 * characters + LIMITS.bodyBytes
}
