import { FIELD_LIMITS } from '../../contract/limits.ts'
import type { Person } from '../../contract/person.ts'
import { type Html, html, when } from '../web/html.ts'
import { onDay } from './dates.ts'
import { confirmed, textField } from './fields.ts'
import { counted } from './numbers.ts'
import type { Visit } from './visit.ts'

/** A person with their sessions, and the forms that change them. */
export function personRow({ link, form, visitor }: Visit, person: Person): Html {
  const { id, name, is_me: isMe } = person
  const path = `/people/${id}`
  const rename = html`${textField({ name: 'name', label: 'Name', value: name, max: FIELD_LIMITS.personName, required: true })}<button>Save</button>`
  const merging = link(`/people?${new URLSearchParams({ merge: id })}`)
  return html`<li><a href="${link(`/?${new URLSearchParams({ person: id })}`)}"><h2 dir="auto">${name}</h2></a>
<p class="facts">${when(isMe, () => html`<strong>you</strong>, `)}${heard(person, visitor?.timeZone)}</p>
<div class="inline">${form(`${path}/me`, html`<button class="second">${isMe ? "That's not me" : "That's me"}</button>`)}
<a class="button second" href="${merging}">Merge…</a></div>
<details><summary>Rename</summary>${form(path, rename)}</details>
${confirmed(
  'Delete',
  'The person is deleted, and nobody is known any more to have said their words. This cannot be undone.',
  form(`${path}/delete`, html`<button class="bad">Delete the person</button>`)
)}</li>`
}

/** A person into whom another can be merged. */
export function mergeRow({ form, visitor }: Visit, merged: Person, person: Person): Html {
  const { id, name } = person
  return html`<li><h2 dir="auto">${name}</h2>
<p class="facts">${when(person.is_me, () => html`<strong>you</strong>, `)}${heard(person, visitor?.timeZone)}</p>
${confirmed(
  'Merge into this person',
  html`<bdi>${merged.name}</bdi> is <bdi>${name}</bdi> from now on, in all sessions. This cannot be undone.`,
  form(
    `/people/${merged.id}/merge`,
    html`<input type="hidden" name="into" value="${id}"><button>Merge <bdi>${merged.name}</bdi> into <bdi>${name}</bdi></button>`
  )
)}</li>`
}

function heard({ recording_count: count, last_heard_at: at }: Person, timeZone: string | undefined) {
  const sessions = counted(count, 'session')
  return at === null ? sessions : `${sessions}, last heard on ${onDay(new Date(at), timeZone)}`
}
