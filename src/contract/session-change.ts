import { z } from 'zod'
import { characters, timestamp } from './common.ts'
import { LIMITS } from './limits.ts'

const { actionItems, tags } = LIMITS

export const ActionItemInput = z
  .object(
    {
      text: characters(1, actionItems.text),
      id: z.string({ error: 'send the id of an item of this session, or leave it out' }).optional().meta({
        description: 'A known id keeps what the service knows of the item; any other, or none, makes a new one.'
      }),
      completed: z.boolean({ error: 'send true or false' }).optional(),
      source: z
        .enum(['agent', 'user'], { error: 'send agent or user' })
        .optional()
        .meta({ description: 'Of a new item; `user` unless sent.' }),
      assignee: characters(0, actionItems.assignee).nullable().optional(),
      due_date: characters(0, actionItems.dueDate).nullable().optional().meta({
        description:
          'Best as YYYY-MM-DD; words that name one day, such as "next Friday" or "in 2 weeks", are read on your calendar. Null or an empty text clears it.'
      })
    },
    { error: 'send an object with the text of the item' }
  )
  .meta({ id: 'ActionItemToWrite' })
export type ActionItemInput = z.infer<typeof ActionItemInput>

const fields = {
  title: characters(0, LIMITS.title).optional(),
  notes: characters(0, LIMITS.notes).optional(),
  tags: z
    .array(characters(1, tags.length), { error: `send a list of at most ${tags.max} tags` })
    .max(tags.max, `send a list of at most ${tags.max} tags`)
    .overwrite(sent => [...new Set(sent)])
    .optional(),
  favorite: z.boolean({ error: 'send true or false' }).optional(),
  action_items: z
    .array(ActionItemInput, { error: `send a list of at most ${actionItems.max} items` })
    .max(actionItems.max, `send a list of at most ${actionItems.max} items`)
    .optional()
    .meta({ description: 'The whole list: items that are not in it are removed.' })
}

/** The fields of a PATCH in the order in which `updated_fields` names them. */
export const CHANGEABLE = Object.keys(fields) as (keyof typeof fields)[]

export const SessionChange = z
  .object(fields, { error: `send an object with at least one of ${CHANGEABLE.join(', ')}` })
  .refine(change => CHANGEABLE.some(field => change[field] !== undefined), `send at least one of ${CHANGEABLE.join(', ')}`)
  .meta({ id: 'SessionChange', minProperties: 1 })
export type SessionChange = z.infer<typeof SessionChange>

const matchError = 'send the version you have read, such as "7", or *'

/** The version of the action items that the writer has read; `*` is any. */
export const IfMatch = z
  .string()
  .regex(/^ *(?:\*|\d{1,15}|(?:W\/)?"\d{1,15}") *$/, matchError)
  .transform(sent => (sent.trim() === '*' ? undefined : Number(sent.replace(/\D/g, ''))))
  .optional()
  .meta({
    description: 'The version of the action items you have read. When another writer has changed them since, nothing is written.',
    examples: ['"1"']
  })

export const SessionChanged = z
  .object({
    id: z.string(),
    updated_fields: z.array(z.string()).meta({
      description: 'The fields whose value has changed, and `action_items` whenever they were sent. Empty where nothing has changed.'
    }),
    updated_at: timestamp.meta({ description: 'When the session last changed; a PATCH that changes nothing leaves it.' }),
    action_items_version: z.number().optional().meta({ description: 'Present when action items were written.' })
  })
  .meta({ id: 'SessionChanged' })

export const SessionDeleted = z.object({ deleted: z.boolean(), id: z.string() }).meta({ id: 'SessionDeleted' })
