import type { ActionItem } from '../../contract/action-item.ts'
import { LIMITS } from '../../contract/limits.ts'
import { type Html, html, when } from '../web/html.ts'
import { textField } from './fields.ts'
import type { Visit } from './visit.ts'

const { actionItems } = LIMITS

/** The fields of an action item. A due date may be words, as in the API. */
function itemFields({ text = '', assignee, due_date: due }: Partial<ActionItem>): Html {
  return html`${textField({ name: 'text', label: 'What is to be done', value: text, max: actionItems.text, required: true })}
${textField({ name: 'assignee', label: 'Who does it', value: assignee ?? '', max: actionItems.assignee })}
${textField({ name: 'due_date', label: 'Due', value: due ?? '', max: actionItems.dueDate, hint: 'A date, or words such as next Friday' })}`
}

/** Adds an item to a session. */
export function addItemForm({ form }: Pick<Visit, 'form'>, sessionId: string): Html {
  const fields = html`${itemFields({})}<button>Add</button>`
  return html`<details class="add-item"><summary>Add an action item</summary>${form(`/s/${sessionId}/items`, fields)}</details>`
}

/** Edits an item, and deletes it behind a second click. `back` leads to the place of the item, of which the page has more than one. */
export function editItemForm({ form }: Pick<Visit, 'form'>, item: ActionItem, back: string): Html {
  const hidden = html`<input type="hidden" name="back" value="${back}">`
  const path = `/items/${item.id}`
  return html`<details class="edit-item"><summary aria-label="${`Edit: ${item.text}`}">Edit</summary>
${form(`${path}/edit`, html`${hidden}${itemFields(item)}<button>Save</button>`)}
${form(`${path}/delete`, html`${hidden}<button class="plain danger">Delete the item</button>`)}${when(
  item.user_edited_at,
  () => html`<p class="hint">Somebody has edited it.</p>`
)}</details>`
}
