import { z } from 'zod'
import { type ActionItemList, ActionItemListQuery } from '../../../contract/action-item-list.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { listActionItems, updateActionItem } from '../../../features/sessions/action-item-operations.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { daysAfter, localDay } from '../../../platform/text/calendar-day.ts'
import { type Html, html, when } from '../../web/html.ts'
import { cardList, moreLink } from '../cards.ts'
import { onDay } from '../dates.ts'
import { editItemForm } from '../item-form.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { addressOf } from '../query-form.ts'
import { tickButton } from '../tick-button.ts'
import type { Visit } from '../visit.ts'

const PATH = '/action-items'

/** The filters with the names of the API, so that a link is as good as a request. */
const Query = z.record(z.string(), z.string())
type Query = z.output<typeof Query>

const Params = pathParams({ id: pathId('ai') })

/** Completes an item, or opens it again, and returns to the list as it was filtered. */
const Tick = z.object({ completed: z.stringbool(), filters: z.string().max(2_000).default('') })

type Item = ActionItemList['action_items'][number]

/** The action items of all sessions, the earliest due date first. */
export function actionItemsPage({ services, user }: Console) {
  user.page(PATH, { ...NONE, query: Query }, async (visit, { query }) => {
    const filters = filledIn(query)
    const request = readShape(ActionItemListQuery, { limit: String(LIMITS.actionItemsPage.default), ...filters })
    const { action_items: items, next_cursor: next } = await listActionItems(services, visit.visitor.actor, request)
    const today = localDay(services.clock.now(), visit.visitor.timeZone)
    return {
      title: 'Action items',
      part: 'items',
      main: html`<h1>Action items</h1>
${filterLinks(visit, filters, request.status, today)}
${cardList(items, item => row(visit, item, filters, today), 'There is no such action item.')}
${moreLink(next, cursor => visit.link(pathOf({ ...filters, cursor })))}`
    }
  })

  user.form(`${PATH}/:id`, { ...NONE, params: Params, body: Tick }, async ({ visitor }, { params: { id }, body }) => {
    await updateActionItem(services, visitor.actor, id, { completed: body.completed })
    return { to: pathOf(filledIn(Object.fromEntries(new URLSearchParams(body.filters)))) }
  })
}

const FILTERS = ['status', 'assignee', 'person', 'due_before', 'due_after', 'folder', 'cursor'] as const
type Filters = Partial<Record<(typeof FILTERS)[number], string>>

function filledIn(query: Query): Filters {
  return Object.fromEntries(FILTERS.flatMap(name => (query[name] ? [[name, query[name]]] : [])))
}

function pathOf(filters: Filters) {
  return addressOf(PATH, entriesOf(filters))
}

function entriesOf(filters: Filters): [string, string][] {
  return Object.entries(filters).flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []))
}

/** The filters as links. Each keeps the others, and a chosen one leads back. */
function filterLinks(
  visit: Visit,
  { cursor: _, ...filters }: Filters,
  status: 'open' | 'done' | 'all',
  today: string
): Html {
  const statuses = (['open', 'done', 'all'] as const).map(
    one =>
      html`<a href="${visit.link(pathOf({ ...filters, status: one }))}"${when(one === status, () => html` aria-current="true"`)}>${STATUS_WORDS[one]}</a>`
  )
  const { due_before: before, due_after: after, ...kept } = filters
  const { assignee, person, folder } = filters
  const dues = [
    { words: 'Any date', due: {} },
    { words: 'Overdue', due: { due_before: today } },
    { words: 'Due this week', due: { due_after: today, due_before: daysAfter(today, 7) } }
  ].map(
    ({ words, due }) =>
      html`<a href="${visit.link(pathOf({ ...kept, ...due }))}"${when(isSame(due, before, after), () => html` aria-current="true"`)}>${words}</a>`
  )
  const chosen = Object.entries({ assignee, person, folder }).flatMap(([name, value]) => {
    if (value === undefined) return []
    const rest = { ...filters, [name]: undefined }
    return [
      html`<a href="${visit.link(pathOf(rest))}" class="chosen"><bdi>${value}</bdi> <span aria-label="remove">×</span></a>`
    ]
  })
  return html`<nav class="tabs" aria-label="Filters">${statuses}</nav>
<nav class="chips" aria-label="Due dates and people">${dues}${chosen}</nav>`
}

const STATUS_WORDS = { open: 'Open', done: 'Done', all: 'All' }

function isSame(
  due: { due_before?: string; due_after?: string },
  before: string | undefined,
  after: string | undefined
) {
  return due.due_before === before && due.due_after === after
}

function row(visit: Visit<Visitor>, item: Item, filters: Filters, today: string): Html {
  const { id, text, completed, assignee, due_date: due, session } = item
  const { cursor: _, ...kept } = filters
  const isLate = !completed && typeof due === 'string' && due < today
  const tick = html`<input type="hidden" name="filters" value="${String(new URLSearchParams(entriesOf(filters)))}">${tickButton(text, completed)}`
  return html`<li>${visit.form(`${PATH}/${id}`, tick)}
<p class="facts">${when(
    due,
    () => html`<span class="${isLate ? 'soon' : ''}">due ${onDay(new Date(due ?? ''), 'UTC')}</span>, `
  )}${when(
    assignee,
    () => html`<a href="${visit.link(pathOf({ ...kept, assignee: assignee ?? '' }))}"><bdi>${assignee}</bdi></a>, `
  )}in <a href="${visit.link(`/s/${session.id}`)}"><bdi>${session.title}</bdi></a></p>${editItemForm(visit, item, pathOf(filters))}</li>`
}
