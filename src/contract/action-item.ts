import { z } from 'zod'

const epochMs = z.number().meta({ description: 'Epoch milliseconds.', examples: [1772445600000] })

export const ActionItem = z
  .object({
    id: z.string().meta({ examples: ['ai_01m7x9fbe4fey9tg3s33gak8w3'] }),
    text: z.string().meta({ examples: ['Send the offer to the client'] }),
    completed: z.boolean(),
    source: z
      .enum(['agent', 'user'])
      .meta({ description: 'Who created the item: the service (`agent`) or a person (`user`).' }),
    assignee: z.string().nullable().optional(),
    due_date: z
      .string()
      .nullable()
      .optional()
      .meta({ format: 'date', examples: ['2026-03-06'] }),
    source_start: z.number().nullable().optional().meta({ description: 'Seconds into the recording.' }),
    user_edited_at: epochMs
      .nullable()
      .optional()
      .meta({ description: 'When a client last changed the text or the due date, in epoch milliseconds.' }),
    created_at: epochMs,
    updated_at: epochMs
  })
  .meta({ id: 'ActionItem' })
export type ActionItem = z.infer<typeof ActionItem>

export const ActionItemsResponse = z
  .object({
    session_id: z.string(),
    action_items: z.array(ActionItem),
    version: z.number().meta({
      description:
        'Increases with every write of the list. Send it as If-Match to avoid overwriting the changes of others.'
    }),
    updated_at: z.string().nullable().meta({ format: 'date-time' })
  })
  .meta({ id: 'ActionItemsResponse' })
export type ActionItemsResponse = z.infer<typeof ActionItemsResponse>
