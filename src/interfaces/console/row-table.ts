import { type Html, html } from '../web/html.ts'

/** A table that a narrow screen shows as blocks, each cell with its heading. */
export function rowTable(heads: readonly string[], rows: readonly (readonly (Html | string | number)[])[]): Html {
  const lines = rows.map(
    cells => html`<tr>${cells.map((cell, at) => html`<td data-column="${heads[at] ?? ''}">${cell}</td>`)}</tr>
`
  )
  return html`<div class="table"><table><thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${lines}</tbody></table></div>`
}
