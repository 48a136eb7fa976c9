import { z } from 'zod'
import { flag } from '../../../contract/common.ts'
import { updateActionItem } from '../../../features/sessions/action-item-operations.ts'
import { itemId, shownVersion } from '../arguments.ts'
import { ChangedItem, showChanged } from '../item-rows.ts'
import { defineTool } from '../tool.ts'

export const completeActionItemTool = defineTool({
  name: 'complete_action_item',
  title: 'Complete an action item',
  description: 'Marks an action item as done, or with completed: false as open again.',
  operation: 'updateActionItem',
  steps: { subject: 'list_action_items has the ids', if_version: 'list_action_items shows the current one' },
  input: z.object({
    id: itemId,
    completed: flag.default(true),
    if_version: shownVersion('list_action_items')
  }),
  output: ChangedItem,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async answer({ services, actor }, { id, completed, if_version: precondition }) {
    const item = await updateActionItem(services, actor, id, { completed }, { precondition })
    return showChanged(item)
  }
})
