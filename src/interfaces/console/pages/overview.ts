import { z } from 'zod'
import { getOverview, type Overview } from '../../../features/sessions/overview.ts'
import type { Due } from '../../../features/sessions/overview-queries.ts'
import type { OverviewRange } from '../../../features/sessions/overview-range.ts'
import { daysAfter } from '../../../platform/text/calendar-day.ts'
import { type Html, html, when } from '../../web/html.ts'
import { type BarRow, barTable } from '../bar-table.ts'
import { lengthOf, onDay } from '../dates.ts'
import { firstSteps } from '../first-steps.ts'
import { counted, hoursOf, inWords } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { periodFigure } from '../period-figure.ts'
import { addressOf, filledIn } from '../query-form.ts'
import { typeWords } from '../session-types.ts'
import type { Visit } from '../visit.ts'

const PATH = '/overview'

const WEEKS = ['4', '26', '52', 'all'] as const
const dayError = 'a day such as 2026-03-06'
const day = z.iso
  .date(dayError)
  .refine(text => text > '0001-01-03' && text < '9999-12-30', dayError)
  .optional()
const Query = z.preprocess(
  filledIn,
  z.object({ weeks: z.enum(WEEKS).optional().catch(undefined), since: day, until: day })
)
type Query = z.output<typeof Query>

/** The library in figures, over a range, each of which leads to what it counts. One without sessions has the first steps instead. */
export function overviewPage({ services, user }: Console) {
  user.page(PATH, { ...NONE, query: Query }, async (visit, { query }) => {
    const { actor, timeZone } = visit.visitor
    const overview = await getOverview(services, actor, { timeZone, range: rangeOf(query) })
    const { total, unfinished } = overview
    const isEmpty = total.sessions + unfinished.processing + unfinished.failed === 0
    return {
      title: 'Overview',
      part: 'overview',
      main: isEmpty
        ? html`<h1>Overview</h1>
${firstSteps(visit, services.publicUrl)}`
        : html`<div class="top"><h1>Overview</h1><div class="acts">${rangeChoice(visit, query)}</div></div>
${keyFigures(visit, overview)}
${panels(visit, overview)}`
    }
  })
}

function isOwn({ since, until }: Query) {
  return since !== undefined || until !== undefined
}

function rangeOf(query: Query): OverviewRange {
  const { weeks = '26', since, until } = query
  if (isOwn(query)) return { since, until }
  return weeks === 'all' ? {} : { weeks: Number(weeks) }
}

const RANGE_WORDS = { '4': '4 weeks', '26': '26 weeks', '52': 'Year', all: 'All' }

function rangeChoice({ link }: Pick<Visit, 'link'>, query: Query): Html {
  const { weeks = '26', since = '', until = '' } = query
  const links = WEEKS.map(
    one =>
      html`<a href="${link(addressOf(PATH, { weeks: one }))}"${when(one === weeks && !isOwn(query), () => html` aria-current="true"`)}>${RANGE_WORDS[one]}</a>`
  )
  const own = isOwn(query)
    ? [since && `from ${onDay(new Date(since))}`, until && `before ${onDay(new Date(until))}`].filter(Boolean).join(' ')
    : 'Other'
  return html`<nav class="seg" aria-label="Period">${links}</nav>
<details class="menu"><summary class="button second">${own}</summary><div class="pop"><form action="${link(PATH)}">
<label>From<input type="date" name="since" value="${since}"></label><label>Before<input type="date" name="until" value="${until}"></label><button>Show</button></form></div></details>`
}

function keyFigures({ link }: Pick<Visit, 'link'>, { total, week, range, openItems, unfinished }: Overview): Html {
  const overdue = openItems.dues.find(({ due }) => due === 'overdue')?.items ?? 0
  const { processing, failed } = unfinished
  const more = week.sessions - week.before.sessions
  const change = more === 0 ? 'as many as' : `${inWords(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'} than`
  const figure = (to: string, value: string, words: string, below: Html | string) =>
    html`<a href="${link(to)}"><strong>${value}</strong>${words}<br>${below}</a>`
  const sessions = (filters: Record<string, string>) => addressOf('/', filters)
  return html`<div class="key-figures">${figure(sessions({ since: week.since, until: week.until }), inWords(week.sessions), `${week.sessions === 1 ? 'conversation' : 'conversations'} this week`, html`<span class="${more > 0 ? 'works' : ''}">${change} last week by now</span>`)}
${figure(sessions(range.bounds ?? {}), hoursOf(range.seconds), `in ${counted(range.sessions, 'conversation')}`, `${inWords(total.sessions)} in all, ${hoursOf(total.seconds)}`)}
${figure('/action-items', inWords(openItems.total), openItems.total === 1 ? 'open item' : 'open items', overdue > 0 ? html`<span class="late">${inWords(overdue)} overdue</span>` : 'none overdue')}
${figure(sessions({ status: failed > 0 || processing === 0 ? 'failed' : 'processing' }), inWords(processing + failed), processing + failed === 1 ? 'needs attention' : 'need attention', `${inWords(processing)} being processed, ${inWords(failed)} failed`)}</div>`
}

function panels({ link }: Pick<Visit, 'link'>, overview: Overview): Html {
  const { range, types, folders, people, openItems } = overview
  const sessions = (filters: Record<string, string>) => addressOf('/', { ...filters, ...range.bounds })
  const table = (
    caption: string,
    heads: readonly [string, string],
    rows: readonly BarRow[],
    words = inWords
  ): Html | '' =>
    when(
      rows.length > 0,
      () => html`<section class="figure">${barTable(link, { caption, heads, rows, words })}</section>`
    )
  return html`<div class="cells">${periodFigure(link, range)}
${openItems.total > 0 ? table('Open items by due date', ['Due', 'Open items'], dueRows(openItems)) : ''}
${table(
  'Talk time',
  ['Person', 'Talk time'],
  people.map(({ id, name, seconds }) => ({ name, person: name, value: seconds, to: sessions({ person: id }) })),
  lengthOf
)}
${table(
  'By type',
  ['Type', 'Conversations'],
  types.map(({ type, sessions: value }) => ({ name: typeWords(type).words, value, to: sessions({ type }) }))
)}
${table(
  'By folder',
  ['Folder', 'Conversations'],
  folders.map(({ id, name, sessions: value }) => ({ name, value, to: sessions({ folder: id }) }))
)}
${openItems.total > 0 ? table('Open items by assignee', ['Assignee', 'Open items'], assigneeRows(openItems)) : ''}</div>`
}

const DUE_WORDS: Record<Due, string> = {
  overdue: 'Overdue',
  today: 'Today',
  week: 'In the next seven days',
  later: 'Later',
  none: 'Without a date'
}

function dueRows({ today, nextWeek, dues }: Overview['openItems']): BarRow[] {
  const list = (filters: Record<string, string>) => addressOf('/action-items', filters)
  const tomorrow = daysAfter(today, 1)
  const to: Record<Due, string | undefined> = {
    overdue: list({ due_before: today }),
    today: list({ due_after: today, due_before: tomorrow }),
    week: list({ due_after: tomorrow, due_before: nextWeek }),
    later: list({ due_after: nextWeek }),
    none: undefined
  }
  return dues.map(({ due, items }) => ({ name: DUE_WORDS[due], value: items, to: to[due] }))
}

function assigneeRows({ total, assignees }: Overview['openItems']): BarRow[] {
  const shown = assignees.reduce((sum, { items }) => sum + items, 0)
  const rows: BarRow[] = assignees.map(({ name, items }) => ({
    name: name ?? 'Nobody',
    value: items,
    to: name === null ? undefined : addressOf('/action-items', { assignee: name })
  }))
  return shown < total ? [...rows, { name: 'Everyone else', value: total - shown }] : rows
}
