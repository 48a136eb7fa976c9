import { getOverview, type Overview } from '../../../features/sessions/overview.ts'
import type { Due } from '../../../features/sessions/overview-queries.ts'
import { type Html, html, when } from '../../web/html.ts'
import { type BarRow, barTable } from '../bar-table.ts'
import { type Column, columnFigure } from '../column-figure.ts'
import { lengthOf, onDay } from '../dates.ts'
import { firstSteps } from '../first-steps.ts'
import { counted, inWords } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { addressOf } from '../query-form.ts'
import type { Visit } from '../visit.ts'

/** The library in figures. One without sessions has the first steps instead. */
export function overviewPage({ services, user }: Console) {
  user.page('/overview', NONE, async visit => {
    const { actor, timeZone } = visit.visitor
    const overview = await getOverview(services, actor, { timeZone })
    const { total, unfinished } = overview
    const isEmpty = total.sessions + unfinished.processing + unfinished.failed === 0
    return {
      title: 'Overview',
      part: 'overview',
      main: html`<h1>Overview</h1>
${isEmpty ? firstSteps(visit, services.publicUrl) : figures(visit, overview)}`
    }
  })
}

function figures(visit: Visit, overview: Overview): Html {
  const { total, weeks, unfinished, types, people, openItems } = overview
  const { link } = visit
  return html`<p class="about">${counted(total.sessions, 'conversation')}, ${hours(total.seconds / 3_600)}${unfinishedLinks(visit, unfinished)}</p>
<div class="figures">${weekFigure('sessions', 'Conversations a week', weeks, {
    value: ({ sessions }) => sessions,
    words: value => counted(value, 'conversation'),
    mark: inWords
  })}${weekFigure('hours', 'Hours a week', weeks, { value: ({ seconds }) => seconds / 3_600, words: hours, mark: hours })}</div>
<section class="figure">${weekTable(visit, weeks)}</section>
<div class="figures">
<section class="figure">${barTable(link, {
    caption: 'Conversations by type',
    heads: ['Type', 'Conversations'],
    rows: types.map(({ type, sessions }) => ({ name: type, value: sessions, to: addressOf('/', { type }) })),
    words: inWords
  })}</section>
${when(people.length > 0, () => talkFigure(link, people))}
${when(openItems.total > 0, () => itemFigures(link, openItems))}
</div>`
}

function unfinishedLinks({ link }: Pick<Visit, 'link'>, { processing, failed }: Overview['unfinished']): Html {
  const to = (status: string, words: string) => html`, <a href="${link(addressOf('/', { status }))}">${words}</a>`
  return html`${when(processing > 0, () => to('processing', `${inWords(processing)} being processed`))}${when(failed > 0, () => to('failed', `${inWords(failed)} failed`))}`
}

type Week = Overview['weeks'][number]

function weekFigure(
  id: string,
  title: string,
  weeks: readonly Week[],
  { value, ...words }: { value: (week: Week) => number } & Pick<Parameters<typeof columnFigure>[0], 'words' | 'mark'>
): Html {
  const columns = weeks.map(
    (week, at): Column => ({
      label: `Week of ${dayOf(week)}`,
      value: value(week),
      tick: isFirstOfMonth(weeks, at) ? monthOf(week.day) : undefined,
      open: at === weeks.length - 1
    })
  )
  const values = weeks.map(value)
  const most = values.indexOf(Math.max(...values))
  const sum = values.reduce((one, other) => one + other, 0)
  const description =
    sum === 0
      ? `Nothing in the last ${weeks.length} weeks.`
      : `${words.words(sum)} in the last ${weeks.length} weeks, the most in the week of ${dayOf(weeks[most])}: ${words.words(values[most] ?? 0)}. The table below has all weeks.`
  return html`<section class="figure"><h2>${title}</h2>
${columnFigure({ id, title, description, columns, ...words })}</section>`
}

/** A month is named at the first of its weeks; at the left edge only if there is room for the next name. */
function isFirstOfMonth(weeks: readonly Week[], at: number) {
  const month = (index: number) => weeks[index]?.day.slice(0, 7)
  return at === 0 ? month(0) === month(2) : month(at) !== month(at - 1) && at < weeks.length - 1
}

function dayOf(week: Week | undefined) {
  return week ? onDay(new Date(week.day)) : ''
}

function monthOf(day: string) {
  return new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' }).format(new Date(day))
}

function weekTable({ link }: Pick<Visit, 'link'>, weeks: readonly Week[]): Html {
  const rows = weeks.toReversed().map(
    ({ day, since, until, sessions, seconds }) =>
      html`<tr><th scope="row"><a href="${link(addressOf('/', { since, cursor: until }))}">${onDay(new Date(day))}</a></th>
<td>${inWords(sessions)}</td><td>${hours(seconds / 3_600)}</td></tr>
`
  )
  return html`<details><summary>All weeks as a table</summary>
<table class="weeks"><caption>The last ${weeks.length} weeks, from Monday to Sunday. The first one is the current week.</caption>
<thead><tr><th scope="col">Week of</th><th scope="col">Conversations</th><th scope="col">Length</th></tr></thead>
<tbody>${rows}</tbody></table></details>`
}

function talkFigure(link: Visit['link'], people: Overview['people']): Html {
  return html`<section class="figure">${barTable(link, {
    caption: 'Talk time by person',
    heads: ['Person', 'Talk time'],
    rows: people.map(({ id, name, seconds }) => ({ name, value: seconds, to: addressOf('/', { person: id }) })),
    words: lengthOf
  })}</section>`
}

const DUE_WORDS: Record<Due, string> = {
  overdue: 'Overdue',
  week: 'In the next seven days',
  later: 'Later',
  none: 'Without a due date'
}

function itemFigures(link: Visit['link'], { total, today, nextWeek, dues, assignees }: Overview['openItems']): Html {
  const list = (filters: Record<string, string>) => addressOf('/action-items', filters)
  const to: Record<Due, string | undefined> = {
    overdue: list({ due_before: today }),
    week: list({ due_after: today, due_before: nextWeek }),
    later: list({ due_after: nextWeek }),
    none: undefined
  }
  const shown = assignees.reduce((sum, { items }) => sum + items, 0)
  const rows: BarRow[] = assignees.map(({ name, items }) => ({
    name: name ?? 'Nobody',
    value: items,
    to: name === null ? undefined : list({ assignee: name })
  }))
  if (shown < total) rows.push({ name: 'Everyone else', value: total - shown })
  return html`<section class="figure">${barTable(link, {
    caption: 'Open action items by due date',
    heads: ['Due', 'Open items'],
    rows: dues.map(({ due, items }) => ({ name: DUE_WORDS[due], value: items, to: to[due] })),
    words: inWords
  })}</section>
<section class="figure">${barTable(link, {
    caption: 'Open action items by assignee',
    heads: ['Assignee', 'Open items'],
    rows,
    words: inWords
  })}</section>`
}

/** Hours with a decimal where there are few. */
function hours(value: number) {
  return `${new Intl.NumberFormat('en-GB', { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)} h`
}
