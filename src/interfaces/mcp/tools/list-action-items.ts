import { z } from 'zod'
import { ActionItemListQuery } from '../../../contract/action-item-list.ts'
import { characters, folderIdOrName } from '../../../contract/common.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { findActionItems } from '../../../features/sessions/action-item-operations.ts'
import { invalid } from '../../../platform/core/api-error.ts'
import { pageRows } from '../answer-text.ts'
import { nextCursor, ownConversation, person } from '../arguments.ts'
import { ItemRow, showItem, toItemRow } from '../item-rows.ts'
import { nextPage, toNextPage } from '../next-page.ts'
import { period, readPeriod } from '../period.ts'
import { findPersonId } from '../person.ts'
import { defineTool } from '../tool.ts'

const { limit, cursor, status, assignee, due_before, due_after } = ActionItemListQuery.shape

export const listActionItemsTool = defineTool({
  name: 'list_action_items',
  title: 'List action items',
  description:
    'Lists action items, the earliest due date first; open ones by default. since and until are about their conversations.',
  operation: 'listActionItems',
  input: z.object({
    id: ownConversation.optional().meta({ description: 'Those of one conversation.' }),
    query: characters(1, LIMITS.title).optional().meta({ description: 'Words that the item has, in any order.' }),
    ...period,
    status: status.meta({ description: '' }),
    person: person.meta({ description: 'Assigned to them: a name, an id, or me.' }),
    assignee: assignee.meta({ description: 'The name as the item has it.' }),
    due_after: due_after.meta({ description: 'A day, included.' }),
    due_before: due_before.meta({ description: 'A day, excluded.' }),
    folder: folderIdOrName.optional().meta({ description: 'An id or a name.' }),
    limit: limit.meta({ description: '' }),
    cursor: cursor.meta({ description: nextCursor })
  }),
  output: z.object({ action_items: z.array(ItemRow), ...nextPage }),
  async answer(call, { id, query: words, since, until, person: named, ...sent }) {
    const { services, actor } = call
    if (sent.cursor !== undefined && !/^(?:none|\d{4}-\d{2}-\d{2})_/.test(sent.cursor))
      throw invalid({ field: 'cursor', expected: 'the cursor of the previous answer' })
    const { timeZone } = await call.user()
    const bounds = await readPeriod(call, { since, until })
    const query = { ...sent, updated_since: undefined, person: await findPersonId(call, named) }
    const among = { sessionId: id?.id, words: words?.split(/\s+/).filter(word => word !== ''), ...bounds }
    const fetch = async (most: number) => {
      const { action_items: rows, next_cursor: next } = await findActionItems(
        services,
        actor,
        { ...query, limit: most },
        among
      )
      return { rows, next }
    }
    const { text, rows, next } = await pageRows('Action items', query.limit, fetch, item =>
      showItem(call, item, timeZone)
    )
    const items = rows.map(item => toItemRow(call, item))
    return { text, object: { action_items: items, ...toNextPage(next) } }
  }
})
