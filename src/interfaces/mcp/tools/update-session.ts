import { z } from 'zod'
import { sessionId } from '../../../contract/common.ts'
import { SessionIfMatch } from '../../../contract/if-match.ts'
import { SessionChange } from '../../../contract/session-change.ts'
import { updateSession } from '../../../features/sessions/operations.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { defineTool } from '../tool.ts'

const { title, notes, tags, favorite } = SessionChange.shape

export const updateSessionTool = defineTool({
  name: 'update_session',
  title: 'Change a conversation',
  description:
    'Changes title, notes, tags or favorite of a conversation. Notes and tags are replaced as a whole, so read the conversation first and pass its if_version.',
  operation: 'updateSession',
  input: z.object({
    id: sessionId,
    title,
    notes,
    tags,
    favorite,
    if_version: SessionIfMatch.meta({
      description: 'The if_version that get_session shows. If the conversation has changed since, nothing is written.'
    })
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async answer({ services, actor }, { id, if_version: precondition, ...fields }) {
    const change = readShape(SessionChange, fields, 'arguments')
    const { response, tag } = await updateSession(services, actor, id, change, { precondition })
    const { updated_fields: changed } = response
    const what = changed.length > 0 ? `Changed ${changed.join(', ')}` : 'Nothing changed'
    return `${what} of ${id}.${precondition ? ` It is now if_version ${tag}.` : ''}`
  }
})
