import { z } from 'zod'
import { getSession } from '../../../features/sessions/operations.ts'
import { blockCursor, pageBlocks } from '../answer-text.ts'
import { conversation } from '../arguments.ts'
import { nextPage, toNextPage } from '../next-page.ts'
import { describeSession, SessionObject, toSessionObject } from '../session-text.ts'
import { defineTool } from '../tool.ts'

export const getSessionTool = defineTool({
  name: 'get_session',
  title: 'Read a summary',
  description:
    'Reads one conversation without its transcript: title, time, participants, tags, folders, summary, notes and action items.',
  operation: 'getSession',
  input: z.object({ id: conversation, cursor: blockCursor }),
  output: SessionObject.extend(nextPage),
  async answer(call, { id: { id }, cursor }) {
    const session = await getSession(call.services, call.actor, id)
    const blocks = await describeSession(call, session)
    const { text, parts, next } = pageBlocks({ head: [], blocks, cursor, tool: 'get_session' })
    const object = await toSessionObject(call, session, parts)
    return { text, object: { ...object, ...toNextPage(next) } }
  }
})
