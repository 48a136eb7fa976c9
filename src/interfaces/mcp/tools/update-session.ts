import { z } from 'zod'
import { SessionChange } from '../../../contract/session-change.ts'
import { isBlank } from '../../../contract/text.ts'
import { getSession, updateSession } from '../../../features/sessions/operations.ts'
import { invalid } from '../../../platform/core/api-error.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { quote } from '../answer-text.ts'
import { ownConversation, shownVersion } from '../arguments.ts'
import { defineTool } from '../tool.ts'

const { title, notes, tags, favorite } = SessionChange.shape

/** An empty argument is left out, so a blank one is what empties a field. */
const emptied = (sent: string | undefined) => (sent !== undefined && isBlank(sent) ? '' : sent)

export const updateSessionTool = defineTool({
  name: 'update_session',
  title: 'Change a conversation',
  description:
    'Changes title, notes, tags or favorite. Notes and tags are replaced as a whole, so read them first and pass if_version.',
  operation: 'updateSession',
  input: z.object({
    id: ownConversation,
    title: title.overwrite(emptied).meta({ description: 'A single space empties it.' }),
    notes: notes.overwrite(emptied).meta({ description: 'All of the notes. A single space empties them.' }),
    tags,
    favorite,
    if_version: shownVersion('get_session')
  }),
  output: z.object({ id: z.string(), updated_fields: z.array(z.string()), if_version: z.string().optional() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async confirm({ services, actor }, { id: { id }, notes: written, tags: given }) {
    if (written === undefined && given === undefined) return undefined
    if (!actor.scopes.has('sessions:read')) return `Replace notes or tags of ${id}?`
    const before = await getSession(services, actor, id)
    const lost = given === undefined ? [] : (before.tags ?? []).filter(tag => !given.includes(tag))
    const replaced = [
      ...(written !== undefined && before.notes && before.notes !== written ? ['the notes'] : []),
      ...(lost.length > 0 ? [`the tags ${lost.map(quote).join(', ')}`] : [])
    ]
    return replaced.length > 0 ? `Replace ${replaced.join(' and ')} of ${quote(before.title)}?` : undefined
  },
  async answer({ services, actor }, { id: { id }, if_version: precondition, ...fields }) {
    if (Object.values(fields).every(value => value === undefined))
      throw invalid({
        field: 'arguments',
        expected: `at least one of ${Object.keys({ title, notes, tags, favorite }).join(', ')}`
      })
    const change = readShape(SessionChange, fields, 'arguments')
    const { response, tag } = await updateSession(services, actor, id, change, { precondition })
    const { updated_fields: changed } = response
    const what = changed.length > 0 ? `Changed ${changed.join(', ')}` : 'Nothing changed'
    return {
      text: `${what} of ${id}.${precondition ? ` It is now if_version ${tag}.` : ''}`,
      object: { id, updated_fields: changed, ...(precondition && { if_version: tag }) }
    }
  }
})
