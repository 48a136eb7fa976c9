import { isName } from '../../../platform/text/speaker-name.ts'
import { CLOCK_TIME } from '../clock-time.ts'
import { mayBeName } from './header.ts'

const PIPES = /^\s*\|(.{1,20000})\|\s*$/
const RULE = /^[\s|:+-]*$/
const TIME = new RegExp(String.raw`^[[(]?(${CLOCK_TIME})[\])]?(?:\s*(?:-->|-|–|—)\s*[[(]?(${CLOCK_TIME})[\])]?)?$`)
const HEADS = new Set(
  'time times timestamp timecode start begin end from to in out duration speaker speakers name who text transcript content utterance words dialogue sentence no # nr'.split(
    ' '
  )
)
/** ELAN writes nine columns: names, and times in three forms. */
const MAX_CELLS = 14
const NUMBER = /^-?\d{1,9}(?:[.,]\d{1,6})?$/
const MIN_SHARE = 0.8

interface Row {
  at: number
  cells: string[]
}

/** Turns the rows of a table with times, names and texts into lines such as `[0:01] Marta: text`. Other texts stay as they are. */
export function readTableRows(lines: readonly string[]): readonly string[] {
  const rows = lines.flatMap((line, at): Row[] => {
    const cells = cellsIn(line)
    return cells && cells.length > 1 && cells.length <= MAX_CELLS ? [{ at, cells }] : []
  })
  const filled = lines.filter(line => line.trim() !== '').length
  const [first] = rows
  if (!first || rows.length < 2 || rows.length < filled / 2) return lines
  const named = first.cells.every(cell => HEADS.has(cell.toLowerCase().replace(/\s*\(.*\)$/, '')))
  const columns = columnsOf(named ? rows.slice(1) : rows)
  if (!columns) return lines
  // A row that has no time where all others have one names the columns.
  const isHead = named || (columns.start !== -1 && !TIME.test((first.cells[columns.start] ?? '').slice(0, 60)))
  const body = isHead ? rows.slice(1) : rows
  const read = [...lines]
  for (const { at } of rows) read[at] = ''
  for (const { at, cells } of body) read[at] = toLine(cells, columns)
  // A rule of Markdown stands below the head of a table.
  for (const [at, line] of lines.entries()) if (RULE.test(line) && line.includes('|')) read[at] = ''
  return read
}

function cellsIn(line: string): string[] | null {
  if (line.includes('\t')) return line.split('\t').map(cell => cell.trim())
  const inner = PIPES.exec(line)?.[1]
  return inner === undefined || RULE.test(inner) ? null : inner.split('|').map(cell => cell.trim())
}

interface Columns {
  start: number
  end: number
  speaker: number
  text: number
}

function columnsOf(rows: readonly Row[]): Columns | null {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length))
  const share = (test: (cell: string) => boolean, column: number) => {
    // The first row may name the columns.
    const cells = rows
      .slice(rows.length > 1 ? 1 : 0)
      .map(({ cells: own }) => own[column] ?? '')
      .filter(cell => cell !== '')
    return cells.length === 0 ? 0 : cells.filter(test).length / cells.length
  }
  const all = Array.from({ length: width }, (_, column) => column)
  const times = all.filter(column => share(cell => TIME.test(cell.slice(0, 60)), column) >= MIN_SHARE)
  const others = all.filter(column => !times.includes(column) && share(cell => NUMBER.test(cell), column) < MIN_SHARE)
  const [text = -1] = others.toSorted((a, b) => lengthOf(rows, b) - lengthOf(rows, a))
  const speaker = others.find(column => column !== text && share(isLabel, column) >= MIN_SHARE) ?? -1
  // Nothing of a row is dropped.
  if (others.some(column => column !== text && column !== speaker && lengthOf(rows, column) > 0)) return null
  if (text === -1 || (times.length === 0 && speaker === -1)) return null
  const distinct = new Set(rows.map(({ cells }) => cells[speaker])).size
  // Two columns of words may be anything; names come again.
  if (times.length === 0 && (distinct > rows.length * 0.7 || speaker > text) && rows.length > 2) return null
  return { start: times[0] ?? -1, end: times[1] ?? -1, speaker, text }
}

function isLabel(cell: string) {
  const name = cell.replace(/:$/, '')
  return isName(name) || mayBeName(name)
}

function lengthOf(rows: readonly Row[], column: number) {
  return rows.reduce((sum, { cells }) => sum + (cells[column]?.length ?? 0), 0)
}

function toLine(cells: readonly string[], { start, end, speaker, text }: Columns) {
  const [, from, until] = TIME.exec((cells[start] ?? '').slice(0, 60)) ?? []
  const to = until ?? TIME.exec((cells[end] ?? '').slice(0, 60))?.[1]
  const time = from === undefined ? '' : to === undefined ? `[${from}] ` : `[${from} --> ${to}] `
  const name = (cells[speaker] ?? '').replace(/:$/, '')
  return `${time}${name === '' ? '' : `${name}: `}${cells[text] ?? ''}`
}
