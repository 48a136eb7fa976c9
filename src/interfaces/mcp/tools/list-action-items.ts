import { ActionItemListQuery } from '../../../contract/action-item-list.ts'
import { listActionItems } from '../../../features/sessions/action-item-operations.ts'
import { pageRows, quote, quoteLines, sessionUrl } from '../answer-text.ts'
import { itemLine } from '../session-text.ts'
import { defineTool } from '../tool.ts'

export const listActionItemsTool = defineTool({
  name: 'list_action_items',
  title: 'List action items',
  description:
    'Lists the action items of all conversations, the earliest due date first: open ones unless status says otherwise. Filter by assignee, person, due date and folder.',
  operation: 'listActionItems',
  input: ActionItemListQuery,
  async answer({ services, actor }, query) {
    const fetch = async (limit: number) => {
      const { action_items: rows, next_cursor: next } = await listActionItems(services, actor, { ...query, limit })
      return { rows, next }
    }
    return await pageRows('Action items', query.limit, fetch, item => {
      const { session, version } = item
      const url = sessionUrl(services.publicUrl, session.id, item.source_start)
      const source = `  from ${quote(session.title)}, ${session.timestamp ?? 'no date'}, id ${session.id}, if_version ${version}`
      return [itemLine(item, url), source, quoteLines(item.text)].join('\n')
    })
  }
})
