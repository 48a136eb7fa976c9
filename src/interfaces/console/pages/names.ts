import { z } from 'zod'
import { FIELD_LIMITS } from '../../../contract/limits.ts'
import { personName } from '../../../contract/person.ts'
import { countPeople } from '../../../features/people/figures.ts'
import { confirmNames, listUnconfirmed, type Unconfirmed } from '../../../features/people/unconfirmed.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { type Html, html, when } from '../../web/html.ts'
import { face } from '../faces.ts'
import { counted } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import type { View, Visit } from '../visit.ts'

const PATH = '/people/names'

/** A field for each person, by their id, with the name that is right for them. */
const Sent = z.record(z.string(), z.string())

/** Asks about the names that came with conversations, such as after an import of many documents: they are right, another, or those of the same person. */
export function namesPage({ services, user }: Console) {
  user.page(PATH, NONE, async visit => namesView(services, visit, []))

  user.form(PATH, { ...NONE, body: Sent }, async (visit, { body }) => {
    const { actor } = visit.visitor
    const { people } = await listUnconfirmed(services, actor)
    const isAll = body.save === 'all'
    const answers = people.flatMap(({ person, same }) => {
      const typed = body[person.id]
      const name = body.same === person.id ? same?.name : typed
      const isMe = body.me === person.id
      const isChanged = isAll || isMe || typed?.trim() !== person.name
      const isMeant = body.same === undefined ? isChanged : body.same === person.id
      return name !== undefined && isMeant ? [{ id: person.id, name, isMe }] : []
    })
    const read = answers.map(answer => ({ ...answer, parsed: personName.safeParse(answer.name) }))
    const refused = read.flatMap(({ name, parsed: { success } }) =>
      success
        ? []
        : [
            {
              name: name.trim() || 'A name',
              problem: `Expected: a name of 1 to ${FIELD_LIMITS.personName} characters`
            }
          ]
    )
    const parsed = read.flatMap(({ parsed: { data: name }, ...answer }) =>
      name === undefined ? [] : [{ ...answer, name }]
    )
    const problems = [...refused, ...(await confirmNames(services, actor, parsed))]
    if (problems.length > 0) return await namesView(services, visit, problems)
    const { unconfirmed } = await countPeople(services, actor)
    return { to: unconfirmed === 0 ? '/people' : PATH }
  })
}

async function namesView(
  services: Services,
  visit: Visit<Visitor>,
  problems: readonly { name: string; problem: string }[]
): Promise<View> {
  const { actor } = visit.visitor
  const [{ unconfirmed }, { people, names }] = await Promise.all([
    countPeople(services, actor),
    listUnconfirmed(services, actor)
  ])
  const { link } = visit
  const one = unconfirmed === 1
  return {
    title: 'Who are these names?',
    part: 'people',
    status: problems.length > 0 ? 400 : 200,
    main: html`<p class="crumbs"><a href="${link('/people')}">People</a></p>
<h1>${unconfirmed === 0 ? 'Every name is confirmed' : `Who ${one ? 'is this name' : `are these ${counted(unconfirmed, 'name')}`}?`}</h1>
${when(problems.length > 0, () => html`<div class="notice bad" role="alert">${problems.map(({ name, problem }) => html`<p><bdi>${name}</bdi>: ${problem}</p>`)}</div>`)}
${
  people.length === 0
    ? html`<p>The names that came with your conversations are right, or you have corrected them. <a href="${link('/people')}">Back to the people</a></p>`
    : html`<p class="about">They came with your conversations. Correct a name, or enter that of somebody else: then the two are one person from now on, in all
sessions, which cannot be undone.${when(unconfirmed > people.length, () => html` These are the ${people.length} with the most sessions; the others follow.`)}</p>
${visit.form(PATH, questions(visit, people, names), { class: 'names' })}`
}`
  }
}

function questions({ link }: Visit<Visitor>, people: readonly Unconfirmed[], names: readonly string[]): Html {
  const rows = people.map(({ person: { id, name, recording_count: count }, same }) => {
    const merge = html`<button class="second" name="same" value="${id}">Is <bdi>${same?.name}</bdi></button>`
    return html`<li class="row">${face(name, 'mid')}<div class="what"><input name="${id}" value="${name}" list="names" maxlength="${FIELD_LIMITS.personName}" dir="auto" aria-label="Name of ${name}" required></div>
<span class="dur"><a href="${link(`/people/${id}`)}">${counted(count, 'session')}</a></span>
<label class="check"><input type="radio" name="me" value="${id}"><span>Me</span></label>
<span class="acts">${when(same, () => merge)}</span></li>
`
  })
  return html`<datalist id="names">${names.map(name => html`<option value="${name}"></option>`)}</datalist>
<ul class="rows">${rows}</ul>
<div class="actions"><button name="save" value="changed">Save what I changed</button>
<button class="second" name="save" value="all">All of these are right now</button></div>`
}
