import { FIELD_LIMITS } from '../../contract/limits.ts'
import type { Person } from '../../contract/person.ts'
import type { QuotedLine } from '../../platform/ports/transcript-writer.ts'
import { clockTime } from '../../platform/text/clock-text.ts'
import { isPersonName } from '../../platform/text/speaker-name.ts'
import { html, when } from '../web/html.ts'
import { checkField } from './fields.ts'
import { addressOf } from './query-form.ts'
import { momentAt } from './session-address.ts'
import type { View, Visit } from './visit.ts'

/** Asks who says a line, for this line alone or for all that have its label. A label such as "Speaker 2" is one voice, so all are the first choice. */
export function speakerOfLine(
  { form, link }: Pick<Visit, 'form' | 'link'>,
  id: string,
  { index = 0, start, speaker = '', text }: QuotedLine,
  people: readonly Person[]
): View {
  const back = momentAt(id, start)
  const fields = html`<input type="hidden" name="from" value="${speaker}"><input type="hidden" name="line" value="${index}">${when(
    start !== undefined,
    () => html`<input type="hidden" name="at" value="${Math.floor(start ?? 0)}">`
  )}
<label>Speaker<input name="name" list="people" dir="auto" maxlength="${FIELD_LIMITS.personName}" placeholder="Name of the person" autocomplete="off" autofocus></label>
<datalist id="people">${people.map(({ name }) => html`<option value="${name}"></option>`)}</datalist>
${checkField('all', html`All lines of <bdi>${speaker}</bdi>, and not this one alone`, !isPersonName(speaker))}
<div class="actions"><button>Save</button><button class="second" name="nobody" value="true">Nobody knows</button><a href="${link(back)}">Cancel</a></div>`
  return {
    title: 'Who says this?',
    part: 'sessions',
    main: html`<p class="crumbs"><a href="${link(back)}">Back to the conversation</a></p>
<h1>Who says this?</h1>
<p class="title" dir="auto">${start === undefined ? '' : html`${clockTime(start)} `}<bdi>${speaker}</bdi>: ${text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE).toWellFormed()}…` : text}</p>
${form(`/s/${id}/speakers`, fields, { class: 'tight' })}
<p class="more"><a href="${link(addressOf(`/s/${id}/correct`, { line: String(index) }))}">Correct the words</a></p>`
  }
}

/** The characters of the line that are shown, which are enough to know it by. */
const MAX_QUOTE = 400
