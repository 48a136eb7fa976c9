import type { ListedActionItem } from '../../contract/action-item-list.ts'
import { daysAfter } from '../../platform/text/calendar-day.ts'
import { showDate } from '../../platform/text/show-date.ts'
import { type Html, html } from '../web/html.ts'

/** The days after which an overdue item comes last, because it waits for nobody any more. */
const LONG_OVERDUE_DAYS = 30

/** The first day on which an item is due that is not overdue for long. */
export function firstRecentDay(today: string) {
  return daysAfter(today, -LONG_OVERDUE_DAYS)
}

export const LONG_OVERDUE = `Overdue for more than ${LONG_OVERDUE_DAYS} days`

/** The open items below headings by when they are due, in the order of the list. */
export function itemGroups(items: readonly ListedActionItem[], today: string, row: (item: ListedActionItem) => Html) {
  const groups: { heading: string; rows: Html[] }[] = []
  for (const item of items) {
    const heading = headingOf(item.due_date, today)
    const last = groups.at(-1)
    if (last?.heading === heading) last.rows.push(row(item))
    else groups.push({ heading, rows: [row(item)] })
  }
  return groups.map(({ heading, rows }) => itemGroup(heading, rows))
}

export function itemGroup(heading: string, rows: readonly Html[]): Html {
  return html`<h2 class="group">${heading}</h2><ul class="list">${rows}</ul>`
}

function headingOf(due: string | null | undefined, today: string) {
  if (typeof due !== 'string') return 'Without a date'
  if (due < today) return due < firstRecentDay(today) ? LONG_OVERDUE : 'Overdue'
  if (due === today) return 'Today'
  const weekday = (new Date(today).getUTCDay() + 6) % 7
  return due <= daysAfter(today, 13 - weekday) ? 'This week and next' : 'Later'
}

/** The day on which an item is due, as short as it is clear. */
export function dueDay(due: string, today: string, completed: boolean): Html {
  if (!completed && due === today) return html`<span class="due today">Today</span>`
  const isNear = due.slice(0, 4) === today.slice(0, 4)
  const day = showDate(new Date(due), 'en-GB', {
    ...(isNear ? { weekday: 'short' } : { year: 'numeric' }),
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC'
  })
  const isLate = !completed && due < today
  return html`<span class="due${isLate ? ' late' : ''}"><span class="hidden">${isLate ? 'overdue, ' : 'due '}</span>${day}</span>`
}
