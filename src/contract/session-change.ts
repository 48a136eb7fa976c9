import { z } from 'zod'
import { bodyId, changeOf, characters, flag, label, listOf, sentOnce, timestamp, visible, warnings } from './common.ts'
import { LIMITS } from './limits.ts'
import type { SessionType } from './session.ts'

const { actionItems, tags } = LIMITS

export const ActionItemInput = z
  .object(
    {
      text: characters(1, actionItems.text),
      id: bodyId('the id of an item of this session, or leave it out').optional().meta({
        description: 'A known id updates that item. Another id, or none, creates an item.'
      }),
      completed: flag.optional(),
      source: z
        .enum(['agent', 'user'], { error: 'agent or user' })
        .optional()
        .meta({ description: 'Used for new items. Default: `user`.' }),
      assignee: label(actionItems.assignee).nullable().optional(),
      due_date: characters(0, actionItems.dueDate).nullable().optional().meta({
        description:
          'YYYY-MM-DD, or words that name one day in your time zone, such as "next Friday" or "in 2 weeks". Null or an empty string clears it.'
      })
    },
    { error: 'an object with the text of the item' }
  )
  .meta({ id: 'ActionItemToWrite' })
export type ActionItemInput = z.infer<typeof ActionItemInput>

const fields = {
  title: characters(0, LIMITS.title).optional(),
  notes: characters(0, LIMITS.notes).optional(),
  tags: listOf(visible(tags.length), tags.max, 'tags')
    .overwrite(sent => [...new Set(sent)])
    .optional(),
  favorite: flag.optional(),
  action_items: listOf(ActionItemInput, actionItems.max, 'items')
    .optional()
    .meta({ description: 'The whole list: items that are missing from it are removed.' }),
  keep: flag.optional().meta({ description: 'Whether retention deletes neither the session nor its recording.' })
}

/** The fields of a PATCH in the order of `updated_fields`. */
export const CHANGEABLE = Object.keys(fields) as (keyof typeof fields)[]

const someField = `at least one of ${CHANGEABLE.join(', ')}`

export const SessionChange = changeOf('SessionChange', fields, `an object with ${someField}`, someField)
export type SessionChange = z.infer<typeof SessionChange>

/** The change of any door: integrations may not write the summary, the timestamp and the type. */
export type SessionChangeRequest = SessionChange & {
  summary?: string | undefined
  timestamp?: string | undefined
  type?: SessionType | undefined
}

export const SessionChanged = z
  .object({
    id: z.string(),
    updated_fields: z.array(z.string()).meta({
      description: 'The fields whose value changed, and `action_items` whenever it was sent. Empty if nothing changed.'
    }),
    updated_at: timestamp.meta({ description: 'When the session last changed.' }),
    action_items_version: z.number().optional().meta({ description: 'Present when action items were written.' }),
    warnings
  })
  .meta({ id: 'SessionChanged' })
export type SessionChanged = z.infer<typeof SessionChanged>

export const SessionDeleted = z.object({ deleted: z.boolean(), id: z.string() }).meta({ id: 'SessionDeleted' })
export type SessionDeleted = z.infer<typeof SessionDeleted>

export const SessionDeleteQuery = z.object({
  permanently: z.enum(['true', 'false'], sentOnce('true or false')).optional().meta({
    description:
      '`false` moves the session to the trash. `true` also deletes one that is in the trash. Default: a permanent deletion.'
  })
})
export type SessionDeleteQuery = z.infer<typeof SessionDeleteQuery>
