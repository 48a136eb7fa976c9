import type { AdminSession } from '../../contract/admin/session.ts'
import type { Folder } from '../../contract/folder.ts'
import { FIELD_LIMITS, LIMITS } from '../../contract/limits.ts'
import type { Person } from '../../contract/person.ts'
import { sessionTag } from '../../features/sessions/precondition.ts'
import type { FirstNames, PageLines } from '../../platform/ports/transcript-writer.ts'
import { clockTime } from '../../platform/text/clock-text.ts'
import { type Html, html, when } from '../web/html.ts'
import { dateAndTypeForm } from './date-and-type.ts'
import { face } from './faces.ts'
import { addItemForm, editItemForm } from './item-form.ts'
import { dueDay } from './item-rows.ts'
import { counted, inWords } from './numbers.ts'
import type { Panel } from './session-address.ts'
import { writeTags } from './tags.ts'
import { tickButton } from './tick-button.ts'
import type { Visit } from './visit.ts'

/** A part of the page beside the conversation, which opens by its heading. */
export function panel(id: Panel, title: string, isOpen: boolean, content: Html): Html {
  return html`<details class="panel" id="${id}"${when(isOpen, () => html` open`)}><summary>${title}</summary>${content}</details>`
}

type Item = NonNullable<AdminSession['action_items']>[number]

export function actionItems({ form }: Pick<Visit, 'form'>, session: AdminSession, today: string): Html {
  const { id, action_items: items = [], action_items_version: version = 0 } = session
  const done = items.filter(({ completed }) => completed).length
  const count = html` <span class="quiet">${done} of ${items.length} done</span>`
  return html`<section><h2 id="items">Action items${when(items.length > 0, () => count)}</h2><ul class="tasks">${items.map(
    item =>
      html`<li id="${item.id}">${form(`/s/${id}/items/${item.id}`, html`<input type="hidden" name="version" value="${version}">${tickButton(item.text, item.completed)}`)}${about(item, today)}${editItemForm({ form }, item, `/s/${id}#${item.id}`)}</li>`
  )}</ul>${addItemForm({ form }, id)}</section>`
}

function about({ assignee, due_date: due, source_start: start, completed }: Item, today: string): Html {
  const said = when(
    start !== null && start !== undefined,
    () =>
      html`<a class="src" href="#t=${Math.floor(start ?? 0)}" aria-label="Said at ${clockTime(start ?? 0)}">${clockTime(start ?? 0)}</a>`
  )
  return html`<p class="quiet">${when(assignee, () => html`${face(assignee ?? '')}<bdi>${assignee}</bdi> `)}${when(due, () => dueDay(due ?? '', today, completed))} ${said}</p>`
}

export function notesForm({ form }: Pick<Visit, 'form'>, session: AdminSession): Html {
  const fields = html`<input type="hidden" name="tag" value="${sessionTag(session)}">
<textarea id="notes" name="notes" dir="auto" rows="4" maxlength="${LIMITS.notes}" aria-labelledby="your-notes">
${session.notes ?? ''}</textarea><button>Save notes</button>`
  return html`<section><h2 id="your-notes">Notes</h2>${form(`/s/${session.id}/notes`, fields)}</section>`
}

export function aboutPanel(visit: Visit, session: AdminSession, folders: readonly Folder[], isOpen: boolean): Html {
  const { form } = visit
  const { id, title, tags = [], folder_ids: inside = [] } = session
  const fields = html`<input type="hidden" name="tag" value="${sessionTag(session)}">
<label>Title<input name="title" dir="auto" value="${title}" maxlength="${LIMITS.title}"></label>
<label>Tags, separated by commas<input name="tags" dir="auto" value="${writeTags(tags)}"></label><button>Save</button>`
  const others = folders.filter(folder => !inside.includes(folder.id))
  const options = others.map(folder => html`<option value="${folder.id}">${folder.name}</option>`)
  const remove = folders
    .filter(folder => inside.includes(folder.id))
    .map(folder =>
      form(
        `/s/${id}/folders`,
        html`<input type="hidden" name="remove" value="${folder.id}"><bdi>${folder.name}</bdi> <button class="plain" aria-label="Remove from ${folder.name}">Remove</button>`,
        { class: 'line' }
      )
    )
  const add = html`<label>Add to a folder<select name="add">${options}</select></label><button>Add</button>`
  return panel(
    'about',
    'Title, date, tags, folders',
    isOpen,
    html`${form(`/s/${id}/about`, fields)}${dateAndTypeForm(visit, session)}${remove}${when(others.length > 0, () => form(`/s/${id}/folders`, add))}`
  )
}

interface SpeakersOf extends Pick<PageLines, 'speakers' | 'listed'> {
  /** The words that the names of the listed speakers have in common. */
  speaker: string
  people: readonly Person[]
}

export function speakersPanel(
  { form, link }: Pick<Visit, 'form' | 'link'>,
  id: string,
  { speakers, listed, speaker: search, people }: SpeakersOf,
  isOpen: boolean
): Html {
  const forms = listed.first.map((speaker, at) =>
    form(
      `/s/${id}/speakers`,
      html`<input type="hidden" name="from" value="${speaker}">
<label for="speaker-${at}"><bdi>${speaker}</bdi> is</label>
<input id="speaker-${at}" name="name" list="people" dir="auto" maxlength="${FIELD_LIMITS.personName}" placeholder="name of the person">
<button>Correct</button> <button class="plain" name="nobody" value="true">Nobody knows</button>`
    )
  )
  const isCut = speakers.count > speakers.first.length
  const find = html`<form method="get" action="${link(`/s/${id}`)}#speakers" role="search"><input type="hidden" name="open" value="speakers">
<label>Find a speaker<input type="search" name="speaker" value="${search}" dir="auto" maxlength="${FIELD_LIMITS.personName}"></label><button>Find</button></form>
<p class="quiet">${countOf(listed, speakers)}</p>`
  return panel(
    'speakers',
    'Who speaks',
    isOpen,
    html`${when(isCut || search !== '', () => find)}${forms}<datalist id="people">${people.map(({ name }) => html`<option value="${name}"></option>`)}</datalist>`
  )
}

function countOf(listed: FirstNames, all: FirstNames) {
  if (listed.count > listed.first.length)
    return `The first ${listed.first.length} of ${counted(listed.count, 'speaker')}`
  return `${inWords(listed.count)} of ${counted(all.count, 'speaker')}`
}
