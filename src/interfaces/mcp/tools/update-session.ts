import { z } from 'zod'
import { SessionChange } from '../../../contract/session-change.ts'
import { isBlank } from '../../../contract/text.ts'
import { updateSession } from '../../../features/sessions/operations.ts'
import { invalid } from '../../../platform/core/api-error.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { conversation, shownVersion } from '../arguments.ts'
import { defineTool } from '../tool.ts'

const { title, notes, tags, favorite } = SessionChange.shape

/** An empty argument is left out, so a blank one is what empties a field. */
const emptied = (sent: string | undefined) => (sent !== undefined && isBlank(sent) ? '' : sent)

export const updateSessionTool = defineTool({
  name: 'update_session',
  title: 'Change a conversation',
  description:
    'Changes title, notes, tags or favorite of a conversation. Notes and tags are replaced as a whole, so read the conversation first and pass its if_version.',
  operation: 'updateSession',
  input: z.object({
    id: conversation,
    title: title.overwrite(emptied).meta({ description: 'The new title. A single space empties it.' }),
    notes: notes.overwrite(emptied).meta({ description: 'The new notes, all of them. A single space empties them.' }),
    tags,
    favorite,
    if_version: shownVersion('get_session')
  }),
  output: z.object({ id: z.string(), updated_fields: z.array(z.string()), if_version: z.string().optional() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
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
