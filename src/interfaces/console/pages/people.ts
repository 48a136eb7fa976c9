import { z } from 'zod'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { PeopleQuery, type Person, PersonMerge, PersonPatch } from '../../../contract/person.ts'
import { updatePerson } from '../../../features/people/change-person.ts'
import { deletePerson } from '../../../features/people/delete-person.ts'
import { countPeople, listTalkSeconds } from '../../../features/people/figures.ts'
import { getPerson, searchPeople } from '../../../features/people/list-people.ts'
import { mergePeople } from '../../../features/people/merge.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { throwNotFound } from '../../../platform/core/api-error.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { type Html, html, when } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { cardList, moreLink } from '../cards.ts'
import { problemAbove, problemOf } from '../form-problem.ts'
import { counted, inWords } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { mergeRow, PEOPLE_HEADS, personRow } from '../person-rows.ts'
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
  const [{ people, next_cursor: next }, merged, counts] = await Promise.all([
    searchPeople(services, actor, { name, limit, cursor }),
    merge === undefined ? undefined : getPerson(services, actor, merge),
    countPeople(services, actor)
  ])
  const shown = people.filter(one => one.id !== merged?.id)
  const talk = merged
    ? undefined
    : await listTalkSeconds(
        services,
        actor,
        shown.map(({ id }) => id)
      )
  const empty = html`There is nobody${name && html` whose name has “<bdi>${name}</bdi>”`}.`
  const row = (one: Person) => personRow(visit, one, { seconds: talk?.get(one.id) ?? 0, longest: counts.longest })
  return {
    title: merged ? `Merge ${merged.name}` : 'People',
    part: 'people',
    status: problem === undefined ? 200 : 400,
    main: html`<div class="top"><h1>${merged ? html`Merge <bdi>${merged.name}</bdi>` : 'People'}</h1>${when(!merged && !name, () => html`<span class="count">${inWords(counts.all)}</span>`)}
<div class="acts">${searchForm(visit, name, merge)}</div></div>
${when(
  merged,
  () =>
    html`<p>Choose who <bdi>${merged?.name}</bdi> is. Their sessions move to that person. <a href="${visit.link(PATH)}">Cancel</a></p>`
)}
${problemAbove(problem)}
${when(!merged && !name && counts.unconfirmed > 0, () => question(visit, counts.unconfirmed))}
${
  merged || shown.length === 0
    ? cardList(shown, one => (merged ? mergeRow(visit, merged, one) : row(one)), empty)
    : html`<div class="people">${PEOPLE_HEADS}<ul class="rows">${shown.map(row)}</ul></div>`
}
${moreLink(next, older => visit.link(addressOf(PATH, { ...(name && { name }), ...(merge && { merge }), cursor: older })))}`
  }
}

/** Leads to the page that asks about the names which came with conversations. */
function question({ link }: Pick<Visit, 'link'>, unconfirmed: number): Html {
  return html`<div class="notice">${icon('people')}<div><h2>${unconfirmed === 1 ? 'Who is this name?' : `Who are these ${counted(unconfirmed, 'name')}?`}</h2>
<p>${unconfirmed === 1 ? 'It' : 'They'} came with your conversations. <a href="${link(`${PATH}/names`)}">Merge, rename or confirm ${unconfirmed === 1 ? 'it' : 'them'}</a></p></div></div>`
}

function searchForm({ link }: Pick<Visit, 'link'>, name: string, merge: string | undefined): Html {
  return html`<form action="${link(PATH)}" class="seek" role="search" aria-label="People">${when(
    merge,
    () => html`<input type="hidden" name="merge" value="${merge}">`
  )}
<input type="search" name="name" value="${name}" aria-label="Find a person" placeholder="Find a person" maxlength="${FIELD_LIMITS.personName}" dir="auto">${icon('search')}</form>`
}
