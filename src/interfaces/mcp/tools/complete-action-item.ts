import { z } from 'zod'
import { flag, pathId } from '../../../contract/common.ts'
import { updateActionItem } from '../../../features/sessions/action-item-operations.ts'
import { shownVersion } from '../arguments.ts'
import { defineTool } from '../tool.ts'

export const completeActionItemTool = defineTool({
  name: 'complete_action_item',
  title: 'Complete an action item',
  description: 'Marks an action item as done, or with completed: false as open again.',
  operation: 'updateActionItem',
  steps: { subject: 'list_action_items has the ids', if_version: 'list_action_items shows the current one' },
  input: z.object({
    id: pathId('The id of the action item.', 'ai_01m7x9fbe4fey9tg3s33gak8w3'),
    completed: flag.default(true),
    if_version: shownVersion('list_action_items')
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async answer({ services, actor }, { id, completed, if_version: precondition }) {
    const item = await updateActionItem(services, actor, id, { completed }, { precondition })
    return `${id} is ${item.completed ? 'done' : 'open'}. The action items of ${item.session.id} are now if_version ${item.version}.`
  }
})
