import { z } from 'zod'
import { ActionItem } from './action-item.ts'
import {
  CURSOR_ERROR,
  changeOf,
  folderIdOrName,
  nameToFind,
  pageEnd,
  pageLimit,
  personIdOrMe,
  sentOnce,
  timestamp,
  warnings
} from './common.ts'
import { instantOrDay } from './day-or-instant.ts'
import { isInstant } from './instant.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'
import { ActionItemInput } from './session-change.ts'

export const ListedActionItem = ActionItem.extend({
  session: z.object({ id: z.string(), title: z.string(), timestamp: timestamp.nullable() }),
  version: z.number().meta({
    description: 'Of the action items of the session. Send it as If-Match to avoid overwriting the changes of others.'
  }),
  warnings
}).meta({ id: 'ListedActionItem' })
export type ListedActionItem = z.infer<typeof ListedActionItem>

export const ActionItemList = z
  .object({
    action_items: z.array(ListedActionItem),
    ...pageEnd(z.string())
  })
  .meta({ id: 'ActionItemList' })
export type ActionItemList = z.infer<typeof ActionItemList>

const dayError = 'a day such as 2026-03-06'
const isDay = (sent: string) => z.iso.date().safeParse(sent).success && !sent.startsWith('0000')
const day = z.string(sentOnce(dayError)).max(FIELD_LIMITS.instant, dayError).refine(isDay, dayError)
const cursorError = `${CURSOR_ERROR}, unchanged`

/** A cursor is a key, an underscore and an id. The key is a due date, or the instant of a change with `updated_since`. */
function isCursor(sent: string, isKey: (key: string) => boolean) {
  return /^[^_]+_\w{1,64}$/.test(sent) && isKey(sent.slice(0, sent.indexOf('_')))
}

const isDueDate = (key: string) => key === 'none' || isDay(key)
const isChange = (key: string) => key.endsWith('Z') && isInstant(key)

const filters = z.object({
  limit: pageLimit(LIMITS.actionItemsPage, 'The maximum number of items to return.'),
  cursor: z
    .string(sentOnce(cursorError))
    .max(FIELD_LIMITS.cursor, cursorError)
    .refine(sent => isCursor(sent, isDueDate) || isCursor(sent, isChange), cursorError)
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page.' }),
  status: z
    .enum(['open', 'done', 'all'], sentOnce('open, done or all'))
    .default('open')
    .meta({ description: '`open`: items that are not completed. `done`: completed ones.' }),
  assignee: nameToFind('the name of an assignee')
    .optional()
    .meta({ description: 'Returns only items assigned to this name. Case is ignored.', examples: ['Ada'] }),
  person: personIdOrMe.optional().meta({
    description: 'Returns only items assigned to this person by one of their names: an id, or `me`.',
    examples: ['me']
  }),
  due_before: day
    .optional()
    .meta({ format: 'date', description: 'Returns items that are due before this day.', examples: ['2026-04-01'] }),
  due_after: day.optional().meta({
    format: 'date',
    description: 'Returns items that are due on this day or later.',
    examples: ['2026-03-01']
  }),
  folder: folderIdOrName.optional().meta({
    description: 'Returns only items of sessions in this folder, given by id or by name.',
    examples: ['Clients']
  }),
  updated_since: instantOrDay.optional().meta({
    description: 'Returns items that have changed at or after this instant, in the order of their changes.'
  })
})

export const ActionItemListQuery = filters.refine(
  ({ cursor, updated_since: since }) =>
    cursor === undefined || isCursor(cursor, since === undefined ? isDueDate : isChange),
  { path: ['cursor'], error: cursorError }
)
export type ActionItemListQuery = z.infer<typeof ActionItemListQuery>

const { text, assignee, due_date, completed } = ActionItemInput.shape
const fields = { text, assignee, due_date, completed }
const someField = `at least one of ${Object.keys(fields).join(', ')}`

export const ActionItemChange = changeOf('ActionItemChange', fields, `an object with ${someField}`, someField)
export type ActionItemChange = z.infer<typeof ActionItemChange>
