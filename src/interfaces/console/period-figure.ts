import type { Overview, Period } from '../../features/sessions/overview.ts'
import { showDate } from '../../platform/text/show-date.ts'
import { type Html, html } from '../web/html.ts'
import { type Column, columnFigure } from './column-figure.ts'
import { monthOf, onDay } from './dates.ts'
import { counted, hoursOf, inWords } from './numbers.ts'
import { addressOf } from './query-form.ts'
import type { Visit } from './visit.ts'

/** The months or years that have words below the axis at most. */
const MAX_TICKS = 8

/** The conversations of a range in columns, and as a table whose rows lead to them. */
export function periodFigure(link: Visit['link'], { unit, parts }: Overview['range']): Html {
  const title = `Conversations a ${unit}`
  const step = Math.ceil(countTicks(parts, unit) / MAX_TICKS)
  let ticks = -1
  const columns = parts.map((part, at): Column => {
    const tick = startsTick(parts, at, unit)
    if (tick) ticks++
    return {
      label: nameOf(part, unit),
      value: part.sessions,
      tick: tick && ticks % step === 0 ? tickOf(part.day, unit) : undefined,
      to: link(toList(part)),
      open: at === parts.length - 1
    }
  })
  const values = parts.map(({ sessions }) => sessions)
  const sum = values.reduce((one, other) => one + other, 0)
  const most = parts[values.indexOf(Math.max(...values))]
  const description =
    sum === 0 || !most
      ? 'Nothing in this range.'
      : `${counted(sum, 'conversation')} in ${counted(parts.length, unit)}, the most in ${unit === 'week' ? `the week of ${onDay(new Date(most.day))}` : nameOf(most, unit)}: ${counted(most.sessions, 'conversation')}. The table below has all.`
  return html`<section class="figure wide"><h2>${title}</h2>
${columnFigure({ id: 'sessions', title, description, columns, words: value => counted(value, 'conversation'), mark: inWords })}
${partTable(link, parts, unit)}</section>`
}

type Unit = Overview['range']['unit']

function toList({ since, until }: Period) {
  return addressOf('/', { since, until })
}

function nameOf({ day }: Period, unit: Unit) {
  if (unit === 'week') return `Week of ${onDay(new Date(day))}`
  return unit === 'month' ? monthOf(day.slice(0, 7)) : day.slice(0, 4)
}

/** Weeks have the name of their month, months that of their year. */
function tickOf(day: string, unit: Unit) {
  if (unit !== 'week') return day.slice(0, 4)
  return showDate(new Date(day), 'en-GB', { month: 'short', timeZone: 'UTC' })
}

/** Returns whether a month or year begins here; at the left edge only if there is room for the next name. */
function startsTick(parts: readonly Period[], at: number, unit: Unit) {
  if (unit === 'year') return true
  const group = (index: number) => parts[index]?.day.slice(0, unit === 'week' ? 7 : 4)
  return at === 0 ? group(0) === group(2) : group(at) !== group(at - 1) && at < parts.length - 1
}

function countTicks(parts: readonly Period[], unit: Unit) {
  return parts.filter((_, at) => startsTick(parts, at, unit)).length
}

function partTable(link: Visit['link'], parts: readonly Period[], unit: Unit): Html {
  const rows = parts.toReversed().map(
    part =>
      html`<tr><th scope="row"><a href="${link(toList(part))}">${unit === 'week' ? onDay(new Date(part.day)) : nameOf(part, unit)}</a></th>
<td>${inWords(part.sessions)}</td><td>${hoursOf(part.seconds)}</td></tr>
`
  )
  const caption =
    unit === 'week' ? `${counted(parts.length, 'week')}, from Monday to Sunday` : counted(parts.length, unit)
  return html`<details><summary>As a table</summary>
<table class="weeks"><caption>${caption}, the latest first.</caption>
<thead><tr><th scope="col">${unit === 'week' ? 'Week of' : unit === 'month' ? 'Month' : 'Year'}</th><th scope="col">Conversations</th><th scope="col">Length</th></tr></thead>
<tbody>${rows}</tbody></table></details>`
}
