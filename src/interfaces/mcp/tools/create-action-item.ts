import { z } from 'zod'
import { characters, label } from '../../../contract/common.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { addActionItem } from '../../../features/sessions/action-item-operations.ts'
import { ownConversation } from '../arguments.ts'
import { ChangedItem, showChanged } from '../item-rows.ts'
import { defineTool, SESSION_IDS } from '../tool.ts'

const { text, assignee, dueDate } = LIMITS.actionItems

export const createActionItemTool = defineTool({
  name: 'create_action_item',
  title: 'Create an action item',
  description: 'Adds an action item. If an open one has the text already, it is returned.',
  operation: 'updateSession',
  steps: { subject: SESSION_IDS },
  input: z.object({
    id: ownConversation,
    text: characters(1, text),
    assignee: label(assignee).optional(),
    due_date: characters(1, dueDate).optional().meta({ description: 'A day, or words such as next Friday.' })
  }),
  output: ChangedItem,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async answer({ services, actor }, { id: { id }, ...item }) {
    return showChanged(await addActionItem(services, actor, id, item))
  }
})
