import { type Html, html, when } from '../web/html.ts'

export interface BarRow {
  name: Html | string
  value: number
  /** The page that lists what is counted, below the base path. */
  to?: string | undefined
}

interface BarTable {
  caption: string
  /** The headings of the names and of the values. */
  heads: readonly [string, string]
  rows: readonly BarRow[]
  words: (value: number) => string
}

/** A table whose rows have a bar beside their value, as a part of the largest. */
export function barTable(link: (path: string) => string, { caption, heads, rows, words }: BarTable): Html {
  const largest = Math.max(...rows.map(({ value }) => value))
  const lines = rows.map(({ name, value, to }) => {
    const percent = value > 0 ? Math.max(0.5, Math.round((1_000 * value) / largest) / 10) : 0
    const shown = html`<bdi>${name}</bdi>`
    return html`<tr><th scope="row">${to === undefined ? shown : html`<a href="${link(to)}">${shown}</a>`}</th>
<td class="value">${words(value)}</td>
<td class="part" aria-hidden="true">${when(percent > 0, () => html`<svg width="100%" height="12"><rect width="${percent}%" height="12" rx="3"/></svg>`)}</td></tr>
`
  })
  return html`<table class="bars"><caption>${caption}</caption>
<thead class="hidden"><tr><th scope="col">${heads[0]}</th><th scope="col">${heads[1]}</th></tr></thead>
<tbody>${lines}</tbody></table>`
}
