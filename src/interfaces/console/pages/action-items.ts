import { z } from 'zod'
import { type ActionItemList, ActionItemListQuery } from '../../../contract/action-item-list.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { searchPeople } from '../../../features/people/list-people.ts'
import { listActionItems, updateActionItem } from '../../../features/sessions/action-item-operations.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import { daysAfter, localDay } from '../../../platform/text/calendar-day.ts'
import { type Html, html, when } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { moreLink } from '../cards.ts'
import { face } from '../faces.ts'
import { editItemForm } from '../item-form.ts'
import { dueDay, firstRecentDay, itemGroup, itemGroups, LONG_OVERDUE } from '../item-rows.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { addressOf } from '../query-form.ts'
import { tickButton } from '../tick-button.ts'
import type { Visit } from '../visit.ts'
import { MANY_ITEMS_PATH } from './items.ts'

const PATH = '/action-items'

/** The user's own items that are due before this many days come first. */
const SOON_DAYS = 8

const NO_ITEMS: ActionItemList = { action_items: [], next_cursor: null, has_more: false }

/** The filters with the names of the API, so that a link is as good as a request. */
const Query = z.record(z.string(), z.string())
type Query = z.output<typeof Query>

const Params = pathParams({ id: pathId('ai') })

/** Completes an item, or opens it again, and returns to the list as it was filtered. */
const Tick = z.object({
  completed: z.stringbool(),
  filters: z.string().max(2_000).default(''),
  /** The item below, which takes the place of one that the list leaves out now. */
  next: pathId('ai').optional()
})

type Item = ActionItemList['action_items'][number]

/** The action items of all sessions, the earliest due date first. */
export function actionItemsPage({ services, user }: Console) {
  user.page(PATH, { ...NONE, query: Query }, async (visit, { query }) => {
    const filters = filledIn(query)
    const request = readShape(ActionItemListQuery, { limit: String(LIMITS.actionItemsPage.default), ...filters })
    const { actor, timeZone } = visit.visitor
    const today = localDay(services.clock.now(), timeZone)
    const recent = firstRecentDay(today)
    // Without a filter of dates, what is overdue for long comes last.
    const isByUrgency = request.status === 'open' && !filters.due_before && !filters.due_after
    // A cursor is a day and an id, and this id comes before any other.
    const fromRecent = isByUrgency && !request.cursor ? { ...request, cursor: `${recent}_0` } : request
    const [{ action_items: items, next_cursor: next }, me] = await Promise.all([
      listActionItems(services, actor, fromRecent),
      findMe(actor)
    ])
    const isFirst = isByUrgency && !request.cursor && !request.person && !request.assignee
    const [{ action_items: mine }, old] = await Promise.all([
      isFirst && me ? listMine({ ...fromRecent, due_before: daysAfter(today, SOON_DAYS) }) : NO_ITEMS,
      isByUrgency && !next
        ? listActionItems(services, actor, { ...request, cursor: undefined, due_before: recent })
        : NO_ITEMS
    ])
    const others = items.filter(({ id }) => !mine.some(one => one.id === id))
    const shown = [...mine, ...others, ...old.action_items]
    const below = new Map(shown.map(({ id }, at) => [id, shown[at + 1]?.id ?? shown[at - 1]?.id]))
    const isPicking = query.select === '1'
    const show = (item: Item) => row(visit, item, filters, { today, next: below.get(item.id) })
    const groups = [
      ...(mine.length > 0 ? [itemGroup('Yours, due by next week', mine.map(show))] : []),
      ...(request.status === 'open'
        ? itemGroups(others, today, show)
        : [html`<ul class="list">${others.map(show)}</ul>`]),
      ...(old.action_items.length > 0 ? [itemGroup(LONG_OVERDUE, old.action_items.map(show))] : [])
    ]
    const isEmpty = shown.length === 0
    return {
      title: 'Action items',
      part: 'items',
      scripts: ['tick.js'],
      main: html`<div class="top"><h1>Action items</h1><div class="acts phone">${selectLink(visit, filters, isPicking)}</div></div>
${filterLinks(visit, filters, { status: request.status, today, hasMe: me })}
${isEmpty ? html`<p class="empty">There is no such action item.</p>` : html`<div${when(isPicking, () => html` class="picking"`)}>${groups}${itemsBar(visit, request.status, pathOf(filters))}</div>`}
${moreLink(next, cursor => visit.link(pathOf({ ...filters, cursor })))}
${moreLink(old.next_cursor, cursor => visit.link(pathOf({ ...filters, due_before: recent, cursor })))}`
    }

    async function listMine(of: ActionItemListQuery) {
      return await listActionItems(services, actor, { ...of, person: 'me' })
    }
  })

  /** Whether a person of the library is the user. It is the first of the list. */
  async function findMe(actor: Actor) {
    const { people } = await searchPeople(services, actor, { name: '', limit: 1, cursor: undefined })
    return people.some(({ is_me: isMe }) => isMe)
  }

  user.form(`${PATH}/:id`, { ...NONE, params: Params, body: Tick }, async ({ visitor }, { params: { id }, body }) => {
    const { completed, filters, next } = body
    await updateActionItem(services, visitor.actor, id, { completed })
    const list = filledIn(Object.fromEntries(new URLSearchParams(filters)))
    // It stays in a list of all.
    return { to: `${pathOf(list)}#${list.status === 'all' ? id : (next ?? '')}` }
  })
}

/** On touch, boxes for several items are shown by a link. */
function selectLink({ link }: Pick<Visit, 'link'>, filters: Filters, isPicking: boolean): Html {
  const to = isPicking ? pathOf(filters) : addressOf(PATH, [...entriesOf(filters), ['select', '1']])
  return html`<a class="button ghost" href="${link(to)}">${isPicking ? 'Done' : 'Select'}</a>`
}

/** The bar for what is done with all selected items. */
function itemsBar({ form }: Pick<Visit, 'form'>, status: 'open' | 'done' | 'all', back: string): Html {
  const button = (completed: boolean, words: string) =>
    html`<button class="second" name="completed" value="${String(completed)}">${words}</button>`
  return form(
    MANY_ITEMS_PATH,
    html`<input type="hidden" name="back" value="${back}"><div class="bulk" role="group" aria-label="Selected action items"><span class="of">selected</span>${when(status !== 'done', () => button(true, 'Mark as done'))}${when(status !== 'open', () => button(false, 'Open again'))}</div>`,
    { id: 'many' }
  )
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
  { status, today, hasMe }: { status: 'open' | 'done' | 'all'; today: string; hasMe: boolean }
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
  const names = { assignee, person: person === 'me' ? 'Mine' : person, folder }
  const chosen = Object.entries(names).flatMap(([name, value]) => {
    if (value === undefined) return []
    const rest = { ...filters, [name]: undefined }
    return [
      html`<a href="${visit.link(pathOf(rest))}" class="on"><span class="hidden">Remove the filter</span> <bdi>${value}</bdi>${icon('x')}</a>`
    ]
  })
  const mine = html`<a href="${visit.link(pathOf({ ...filters, person: 'me' }))}">Mine</a>`
  return html`<nav class="tabs" aria-label="Filters">${statuses}</nav>
<nav class="chips" aria-label="Due dates and people">${when(hasMe && person === undefined, () => mine)}${dues}${chosen}</nav>`
}

const STATUS_WORDS = { open: 'Open', done: 'Done', all: 'All' }

function isSame(
  due: { due_before?: string; due_after?: string },
  before: string | undefined,
  after: string | undefined
) {
  return due.due_before === before && due.due_after === after
}

function row(
  visit: Visit<Visitor>,
  item: Item,
  filters: Filters,
  { today, next }: { today: string; next: string | undefined }
): Html {
  const { id, text, completed, assignee, due_date: due, session } = item
  const { cursor: _, ...kept } = filters
  const name = assignee ?? ''
  const tick = html`<input type="hidden" name="filters" value="${String(new URLSearchParams(entriesOf(filters)))}">${when(next, () => html`<input type="hidden" name="next" value="${next}">`)}${tickButton(text, completed)}`
  return html`<li id="${id}"><input class="pick" type="checkbox" name="item" value="${id}" form="many" aria-label="${`Select: ${text}`}">${visit.form(`${PATH}/${id}`, tick)}
<a class="from" href="${visit.link(`/s/${session.id}`)}"><span class="hidden">in</span> <bdi>${session.title}</bdi></a>
<span class="who-of">${when(name, () => html`${face(name)}<a href="${visit.link(pathOf({ ...kept, assignee: name }))}"><bdi>${name}</bdi></a>`)}</span>
${typeof due === 'string' ? dueDay(due, today, completed) : html`<span class="due"></span>`}${editItemForm(visit, item, pathOf(filters))}</li>`
}
