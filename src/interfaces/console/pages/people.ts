import { z } from 'zod'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { PeopleQuery, type Person, PersonMerge, PersonPatch } from '../../../contract/person.ts'
import { updatePerson } from '../../../features/people/change-person.ts'
import { deletePerson } from '../../../features/people/delete-person.ts'
import { getPerson, searchPeople } from '../../../features/people/list-people.ts'
import { mergePeople } from '../../../features/people/merge.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { throwNotFound } from '../../../platform/core/api-error.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { type Html, html, when } from '../../web/html.ts'
import { cardList, moreLink } from '../cards.ts'
import { textField } from '../fields.ts'
import { problemAbove, problemOf } from '../form-problem.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { mergeRow, personRow } from '../person-rows.ts'
import { addressOf } from '../query-form.ts'
import type { View, Visit } from '../visit.ts'

const PATH = '/people'

const id = pathId('per')
const Query = z.object({
  name: z.string().max(FIELD_LIMITS.personName).default('').catch(''),
  cursor: PeopleQuery.shape.cursor,
  merge: id.optional().catch(() => throwNotFound('Page'))
})
type Query = z.output<typeof Query>
const Params = pathParams({ id })
const Rename = z.object({ name: z.string().default('') })
const Merge = z.object({ into: z.string().default('') })

/** The people who speak in the user's sessions, by name, and the choice of one into whom another is merged. */
export function peoplePage({ services, user }: Console) {
  user.page(PATH, { ...NONE, query: Query }, async (visit, { query }) => await peopleView(services, visit, query))

  user.form(`${PATH}/:id`, { ...NONE, params: Params, body: Rename }, async (visit, { params: { id }, body }) =>
    act(visit, async () => {
      await updatePerson(services, visit.visitor.actor, id, readShape(PersonPatch, body))
    })
  )

  user.form(`${PATH}/:id/me`, { ...NONE, params: Params }, async (visit, { params: { id } }) =>
    act(visit, async () => {
      const { is_me: isMe } = await getPerson(services, visit.visitor.actor, id)
      await updatePerson(services, visit.visitor.actor, id, { is_me: !isMe })
    })
  )

  user.form(`${PATH}/:id/merge`, { ...NONE, params: Params, body: Merge }, async (visit, { params: { id }, body }) =>
    act(visit, async () => {
      await mergePeople(services, visit.visitor.actor, id, readShape(PersonMerge, body))
    })
  )

  user.form(`${PATH}/:id/delete`, { ...NONE, params: Params }, async ({ visitor }, { params: { id } }) => {
    await deletePerson(services, visitor.actor, id)
    return { to: PATH }
  })

  async function act(visit: Visit<Visitor>, run: () => Promise<void>) {
    try {
      await run()
      return { to: PATH }
    } catch (error) {
      return await peopleView(services, visit, { name: '', cursor: undefined, merge: undefined }, problemOf(error))
    }
  }
}

async function peopleView(
  services: Services,
  visit: Visit<Visitor>,
  { name, cursor, merge }: Query,
  problem?: string
): Promise<View> {
  const { actor } = visit.visitor
  const limit = LIMITS.peoplePage.default
  const [{ people, next_cursor: next }, merged] = await Promise.all([
    searchPeople(services, actor, { name, limit, cursor }),
    merge === undefined ? undefined : getPerson(services, actor, merge)
  ])
  const shown = people.filter(one => one.id !== merged?.id)
  const row = (one: Person) => (merged ? mergeRow(visit, merged, one) : personRow(visit, one))
  return {
    title: merged ? `Merge ${merged.name}` : 'People',
    part: 'people',
    status: problem === undefined ? 200 : 400,
    main: html`<h1>${merged ? html`Merge <bdi>${merged.name}</bdi>` : 'People'}</h1>
${when(
  merged,
  () =>
    html`<p>Choose who <bdi>${merged?.name}</bdi> is. Their sessions move to that person. <a href="${visit.link(PATH)}">Cancel</a></p>`
)}
${problemAbove(problem)}
${searchForm(visit, name, merge)}
${cardList(shown, row, html`There is nobody${name && html` whose name has “<bdi>${name}</bdi>”`}.`)}
${moreLink(next, older => visit.link(addressOf(PATH, { ...(name && { name }), ...(merge && { merge }), cursor: older })))}`
  }
}

function searchForm({ link }: Pick<Visit, 'link'>, name: string, merge: string | undefined): Html {
  return html`<form action="${link(PATH)}" class="find" role="search">${when(
    merge,
    () => html`<input type="hidden" name="merge" value="${merge}">`
  )}
${textField({ name: 'name', label: 'Name', type: 'search', value: name, max: FIELD_LIMITS.personName })}
<button class="second">Find</button></form>`
}
