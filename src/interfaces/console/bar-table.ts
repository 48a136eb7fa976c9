import { voiceOf } from '../../platform/text/initials.ts'
import { type Html, html, when } from '../web/html.ts'
import { face } from './faces.ts'

export interface BarRow {
  name: Html | string
  value: number
  /** The page that lists what is counted, below the base path. */
  to?: string | undefined
  /** The person whose colour the bar has, whose initials stand before the name. */
  person?: string
}

interface BarTable {
  caption: string
  /** The headings of the names and of the values. */
  heads: readonly [string, string]
  rows: readonly BarRow[]
  words: (value: number) => string
  /** The value of a whole bar, unless it is that of the largest row. */
  largest?: number
}

/** A table whose rows have a bar beside their value. */
export function barTable(
  link: (path: string) => string,
  { caption, heads, rows, words, largest = Math.max(...rows.map(({ value }) => value)) }: BarTable
): Html {
  const lines = rows.map(({ name, value, to, person }) => {
    const shown = html`${when(person, () => face(person ?? ''))}<bdi>${name}</bdi>`
    return html`<tr><th scope="row">${to === undefined ? html`<span>${shown}</span>` : html`<a href="${link(to)}">${shown}</a>`}</th>
<td class="part" aria-hidden="true">${meter(value, largest, person)}</td><td class="value">${words(value)}</td></tr>
`
  })
  return html`<table class="bars"><caption>${caption}</caption>
<thead class="hidden"><tr><th scope="col">${heads[0]}</th><th scope="col">${heads[1]}</th></tr></thead>
<tbody>${lines}</tbody></table>`
}

/** A value as a part of the largest, in the colour of a person or the one for all. One that is not zero stays visible. */
export function meter(value: number, largest: number, person?: string): Html {
  const percent = value > 0 ? Math.max(1, Math.round((1_000 * value) / largest) / 10) : 0
  const colour = person === undefined ? '' : ` v${voiceOf(person)}`
  return html`<svg class="meter${colour}" width="100%" height="6" aria-hidden="true"><rect class="all" width="100%" height="6" rx="3"/>${when(percent > 0, () => html`<rect width="${percent}%" height="6" rx="3"/>`)}</svg>`
}
