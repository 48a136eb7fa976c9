import { z } from 'zod'
import { getSession } from '../../../features/sessions/operations.ts'
import { blockCursor, pageBlocks } from '../answer-text.ts'
import { conversation } from '../arguments.ts'
import { describeSession } from '../session-text.ts'
import { defineTool } from '../tool.ts'

export const getSessionTool = defineTool({
  name: 'get_session',
  title: 'Read a summary',
  description:
    'Reads one conversation without its transcript: title, time, tags, folders, summary, notes and action items.',
  operation: 'getSession',
  input: z.object({ id: conversation, cursor: blockCursor }),
  async answer({ services, actor }, { id: { id }, cursor }) {
    const session = await getSession(services, actor, id)
    const blocks = describeSession(session, services.publicUrl)
    return pageBlocks({ head: [], blocks, cursor, tool: 'get_session' })
  }
})
