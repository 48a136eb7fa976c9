import { type Html, html, when } from '../web/html.ts'

export interface Column {
  label: string
  value: number
  /** The words below the axis; most columns have none. */
  tick?: string | undefined
  /** The page that lists what it counts. The table beside the figure leads there by keyboard. */
  to?: string
  /** Its period has not ended. */
  open?: boolean
}

interface ColumnFigure {
  /** Makes ids on the page. */
  id: string
  title: string
  /** Says what the figure shows, for those who don't see it. */
  description: string
  columns: readonly Column[]
  /** The words of a value, and those beside the scale. */
  words: (value: number) => string
  mark: (value: number) => string
}

const [TOP, BOTTOM, HEIGHT] = [18, 128, 148]

/** Columns over an axis. Widths are parts of the figure's own, so that its texts are as large on a phone as elsewhere. */
export function columnFigure({ id, title, description, columns, words, mark }: ColumnFigure): Html {
  const scale = topOf(Math.max(0, ...columns.map(({ value }) => value)))
  const width = 100 / columns.length
  const y = (value: number) => BOTTOM - ((BOTTOM - TOP) * value) / scale
  const bars = columns.map(({ label, value, to, open = false }, at) => {
    // A value that is not zero stays visible.
    const height = value > 0 ? Math.max(2, BOTTOM - y(value)) : 0
    const bar = html`<rect class="${open ? 'open' : 'bar'}" x="${percent(width * (at + 0.12))}" width="${percent(width * 0.76)}" y="${round(BOTTOM - height)}" height="${round(height)}" rx="2"><title>${label}: ${words(value)}</title></rect>`
    return to === undefined ? bar : html`<a href="${to}" tabindex="-1">${bar}</a>`
  })
  const ticks = columns.map(({ tick }, at) =>
    when(tick, () => html`<text x="${percent(width * at)}" y="${HEIGHT - 4}">${tick}</text>`)
  )
  const lines = [scale, scale / 2].map(
    value => html`<line x1="0" x2="100%" y1="${round(y(value))}" y2="${round(y(value))}"/>
<text class="scale" x="0" y="${round(y(value) - 4)}">${mark(value)}</text>`
  )
  return html`<svg class="chart" width="100%" height="${HEIGHT}" role="group" aria-labelledby="${id}-title ${id}-about">
<title id="${id}-title">${title}</title><desc id="${id}-about">${description}</desc>
<g aria-hidden="true">${lines}${bars}<line class="axis" x1="0" x2="100%" y1="${BOTTOM}" y2="${BOTTOM}"/>${ticks}</g></svg>`
}

/** The least value of 2, 4, 6, 10, 20, 40 … that no column exceeds. Its half is a whole number too. */
function topOf(highest: number) {
  let power = 1
  while (10 * power < highest) power *= 10
  return power * ([2, 4, 6, 10].find(first => first * power >= highest) ?? 10)
}

function percent(part: number) {
  return `${round(part)}%`
}

function round(value: number) {
  return Math.round(value * 100) / 100
}
