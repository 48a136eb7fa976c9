import { z } from 'zod'
import { ActionItemChange } from '../../../contract/action-item-list.ts'
import { characters, label } from '../../../contract/common.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { isBlank } from '../../../contract/text.ts'
import { updateActionItem } from '../../../features/sessions/action-item-operations.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { itemId, shownVersion } from '../arguments.ts'
import { ChangedItem, showChanged } from '../item-rows.ts'
import { defineTool } from '../tool.ts'

const { text } = ActionItemChange.shape

export const updateActionItemTool = defineTool({
  name: 'update_action_item',
  title: 'Edit an action item',
  description: 'Changes text, assignee or due date of an action item.',
  operation: 'updateActionItem',
  steps: { subject: 'list_action_items has the ids', if_version: 'list_action_items shows the current one' },
  input: z.object({
    id: itemId,
    text: text.meta({ description: '' }),
    assignee: label(LIMITS.actionItems.assignee).optional().meta({ description: 'A single space empties it.' }),
    due_date: characters(1, LIMITS.actionItems.dueDate)
      .optional()
      .meta({ description: 'A day, or words such as next Friday. A single space clears it.' }),
    if_version: shownVersion('list_action_items')
  }),
  output: ChangedItem,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async answer({ services, actor }, { id, if_version: precondition, ...fields }) {
    const due = typeof fields.due_date === 'string' && isBlank(fields.due_date) ? { due_date: '' } : {}
    const change = readShape(ActionItemChange, { ...fields, ...due }, 'arguments')
    return showChanged(await updateActionItem(services, actor, id, change, { precondition }))
  }
})
