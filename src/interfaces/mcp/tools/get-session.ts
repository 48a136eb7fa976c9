import { z } from 'zod'
import { blockCursor, pageBlocks } from '../answer-text.ts'
import { conversation } from '../arguments.ts'
import { nextPage, toNextPage } from '../next-page.ts'
import { loadConversation, SessionObject } from '../session-text.ts'
import { defineTool, READABLE_IDS } from '../tool.ts'

export const getSessionTool = defineTool({
  name: 'get_session',
  title: 'Read a summary',
  description:
    'Reads one conversation without its transcript: title, time, participants, tags, folders, summary, notes and action items.',
  operation: 'getSession',
  steps: { subject: READABLE_IDS },
  input: z.object({ id: conversation, cursor: blockCursor }),
  output: SessionObject.extend(nextPage),
  async answer(call, { id: place, cursor }) {
    const { blocks, toObject } = await loadConversation(call, place)
    const { text, parts, next } = pageBlocks({ head: [], blocks, cursor, tool: 'get_session' })
    return { text, object: { ...toObject(parts), ...toNextPage(next) } }
  }
})
