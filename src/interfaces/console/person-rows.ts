import { FIELD_LIMITS } from '../../contract/limits.ts'
import type { Person } from '../../contract/person.ts'
import { type Html, html, when } from '../web/html.ts'
import { icon } from '../web/icons.ts'
import { meter } from './bar-table.ts'
import { onDay, talkTime } from './dates.ts'
import { face } from './faces.ts'
import { confirmed, textField } from './fields.ts'
import { counted, inWords } from './numbers.ts'
import type { Visit } from './visit.ts'

/** The speaking time of a person, and the longest of anyone, which it is shown as a part of. */
interface Talk {
  seconds: number
  longest: number
}

/** A person with their sessions and speaking time. The row leads to their page. */
export function personRow(visit: Visit, person: Person, { seconds, longest }: Talk): Html {
  const { link, visitor } = visit
  const { id, name, is_me: isMe, recording_count: count, last_heard_at: at } = person
  const talk = seconds === 0 ? '' : talkTime(seconds)
  return html`<li class="row">${face(name, 'mid')}<div class="what"><div class="name"><a class="t" href="${link(`/people/${id}`)}"><bdi>${name}</bdi></a>${when(isMe, () => html`<span class="pill plain">You</span>`)}</div>
<p class="sum phone">${heard(person, visitor?.timeZone)}</p></div>
<a class="dur" href="${link(`/?${new URLSearchParams({ person: id })}`)}" aria-label="${counted(count, 'session')} with ${name}">${inWords(count)}</a>
<span class="talks">${meter(seconds, longest, name)}<span>${talk}</span></span>
<span class="at-time">${at === null ? '' : onDay(new Date(at), visitor?.timeZone)}</span>
${personMenu(visit, person)}</li>
`
}

export const PEOPLE_HEADS = html`<div class="heads" aria-hidden="true"><span></span><span>Name</span><span>Sessions</span><span>Talk time</span><span>Last heard</span><span></span></div>`

/** The forms that change a person. */
export function personMenu({ link, form }: Visit, { id, name, is_me: isMe }: Person): Html {
  const path = `/people/${id}`
  const rename = html`${textField({ name: 'name', label: 'Name', value: name, max: FIELD_LIMITS.personName, required: true })}<button>Save</button>`
  return html`<details class="menu"><summary class="dots" aria-label="More for ${name}">${icon('more')}</summary><div class="pop">
<details><summary>Rename</summary>${form(path, rename)}</details>
${form(`${path}/me`, html`<button>${isMe ? "That's not me" : "That's me"}</button>`)}
<a href="${link(`/people?${new URLSearchParams({ merge: id })}`)}">Merge…</a>
${confirmed(
  'Delete',
  'The person is deleted, and nobody is known any more to have said their words. This cannot be undone.',
  form(`${path}/delete`, html`<button class="bad">Delete the person</button>`)
)}</div></details>`
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
