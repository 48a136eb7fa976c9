import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { ActionItemInput } from '../../../contract/session-change.ts'
import { addActionItem, deleteActionItem, updateActionItem } from '../../../features/sessions/action-item-operations.ts'
import { counted } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { changeEach, refusedView } from '../refused-rows.ts'
import { SessionParams } from '../session-address.ts'

/** The target of the form around the list of items, whose boxes are named `item`. */
export const MANY_ITEMS_PATH = '/items/many'

const Params = pathParams({ id: pathId('ai') })
const MAX = LIMITS.actionItemsPage.max

/** The page of a session or the list of items, at which a form goes on. */
const back = z
  .string()
  .max(4_000)
  .regex(/^\/(?:action-items(?:\?[\x21-\x7e]*)?|s\/ses_[0-9a-z]{26}#\w{1,64})$/, 'the form as the page has it')
  .default('/action-items')

const emptyIsNone = (text: string) => (text.trim() === '' ? null : text)
const { text, assignee, due_date } = ActionItemInput.shape
const Fields = z.object({
  text,
  assignee: z.string().transform(emptyIsNone).pipe(assignee.unwrap()).default(null),
  due_date: z.string().transform(emptyIsNone).pipe(due_date.unwrap()).default(null)
})
const Edit = Fields.extend({ back })
const Back = z.object({ back })
const Many = z.object({
  item: z
    .array(pathId('ai'), 'at least one action item')
    .min(1, 'at least one action item')
    .max(MAX, `at most ${MAX} action items`)
    .transform(ids => [...new Set(ids)]),
  completed: z.stringbool(),
  back
})

/** Adds, edits, deletes and ticks off action items, one or several. */
export function itemForms({ services, user }: Console) {
  user.form('/s/:id/items', { ...NONE, params: SessionParams, body: Fields }, async ({ visitor }, { params, body }) => {
    const { id } = await addActionItem(services, visitor.actor, params.id, body)
    return { to: `/s/${params.id}#${id}` }
  })

  user.form('/items/:id/edit', { ...NONE, params: Params, body: Edit }, async ({ visitor }, { params, body }) => {
    const { back: to, ...change } = body
    await updateActionItem(services, visitor.actor, params.id, change)
    return { to }
  })

  user.form('/items/:id/delete', { ...NONE, params: Params, body: Back }, async ({ visitor }, { params, body }) => {
    await deleteActionItem(services, visitor.actor, params.id)
    return { to: body.back }
  })

  user.form(MANY_ITEMS_PATH, { ...NONE, body: Many }, async ({ visitor, link }, { body }) => {
    const { item: ids, completed, back: to } = body
    const refusals = await changeEach(ids, id => updateActionItem(services, visitor.actor, id, { completed }))
    if (refusals.length === 0) return { to }
    const done = ids.length - refusals.length
    const words = `${done} of ${counted(ids.length, 'action item')} ${done === 1 ? 'is' : 'are'} ${completed ? 'done' : 'open'}.`
    const rows = refusals.map(({ id, words: why }) => ({ name: id, words: why }))
    return refusedView({ link }, { words, rows, back: to, part: 'items' })
  })
}
