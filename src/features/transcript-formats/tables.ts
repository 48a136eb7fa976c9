import { LIMITS } from '../../contract/limits.ts'
import { oneLine } from '../../contract/text.ts'
import { knownSpeaker } from '../../platform/text/speaker-name.ts'
import { parseCueTime } from './clock-time.ts'
import { plainKey } from './json/keys.ts'
import { type ParsedTranscript, type Turn, UnreadableTranscript } from './transcript.ts'
import { completeTranscript, withLabels } from './turns.ts'

type Separator = '\t' | ',' | ';'

const COLUMNS: Record<string, string[]> = {
  start: ['start', 'starttime', 'startms', 'begin', 'begintime', 'from', 'timestamp', 'time', 'timecode', 'in'],
  end: ['end', 'endtime', 'endms', 'to', 'stop', 'out'],
  speaker: ['speaker', 'speakername', 'name', 'speakerlabel', 'participant', 'tier'],
  text: ['text', 'transcript', 'content', 'sentence', 'utterance', 'body', 'caption', 'subtitle', 'annotation']
}

/** Reads a table with a column for the text, and mostly for times and speakers, as Whisper and whisper.cpp write it. */
export function parseTable(content: string, separator: Separator): ParsedTranscript {
  const rows = rowsOf(content, separator).filter(({ cells }) => cells.some(cell => cell.trim() !== ''))
  const [head] = rows
  const names = (head?.cells ?? []).map(cell => plainKey(cell.trim()))
  const column = (key: string) => names.findIndex(name => COLUMNS[key]?.includes(name))
  const [start, end, speaker, text] = ['start', 'end', 'speaker', 'text'].map(column)
  if (start === undefined || text === undefined || text === -1 || start === -1) throw unknownColumns(head?.cells ?? [])
  const said = rows.slice(1)
  const unit = unitOf(said.flatMap(({ cells }) => [cells[start], cells[end ?? -1]]))
  const turns: Turn[] = said.map(({ cells, line }) => ({
    start: timeOf(cells[start], unit, line),
    end: end === undefined || end === -1 ? null : timeOf(cells[end], unit, line),
    speaker: speaker === undefined || speaker === -1 ? null : knownSpeaker(cells[speaker]),
    text: cells[text] ?? ''
  }))
  return completeTranscript({ turns: withLabels(turns) })
}

/** Spreadsheets of some countries separate by semicolons. */
export function separatorIn(line: string): Separator {
  if (line.includes('\t')) return '\t'
  return line.split(';').length > line.split(',').length ? ';' : ','
}

/** A label track of Audacity: start, end and text without a head. */
export function isLabelTrack(lines: readonly string[]) {
  const filled = lines.filter(line => line.trim() !== '' && !line.startsWith('\\'))
  return (
    filled.length > 0 && filled.every(line => /^\d{1,9}[.,]\d{1,12}\t\d{1,9}[.,]\d{1,12}\t/.test(line.slice(0, 100)))
  )
}

export function parseLabelTrack(content: string): ParsedTranscript {
  return parseTable(`start\tend\ttext\n${content.replace(/^\\.*$/gm, '')}`, '\t')
}

function unknownColumns(cells: readonly string[]) {
  const found = cells.slice(0, 10).map(cell => oneLine(cell.slice(0, 40)))
  return new UnreadableTranscript(
    `The table has the columns ${found.join(', ')}: name its columns start, end, speaker and text in the first line, or send the conversation as .vtt, .srt or .txt.`
  )
}

interface Row {
  cells: string[]
  /** The line of the file, counted from 1. */
  line: number
}

const QUOTED = /[^"]*(?:""[^"]*)*(?:"|$)/y

/** A cell in quotation marks may hold separators and line breaks. Tab-separated files have no quotation marks. */
function rowsOf(content: string, separator: Separator): Row[] {
  if (separator === '\t')
    return content.split(/\r\n|\r|\n/).map((row, index) => ({ cells: row.split('\t'), line: index + 1 }))
  const rows: Row[] = []
  let cells: string[] = []
  let [at, line, first] = [0, 1, 1]
  const plain = separator === ',' ? /[^,\r\n]*/y : /[^;\r\n]*/y
  while (at < content.length) {
    const blank = /[ \t]*/y
    blank.lastIndex = at
    blank.exec(content)
    const isQuoted = content[blank.lastIndex] === '"'
    const pattern = isQuoted ? QUOTED : plain
    pattern.lastIndex = isQuoted ? blank.lastIndex + 1 : at
    const [found = ''] = pattern.exec(content) ?? []
    at = (isQuoted ? blank.lastIndex + 1 : at) + found.length
    cells.push(isQuoted ? found.replace(/"$/, '').replaceAll('""', '"') : found)
    line += isQuoted ? (found.match(/\n/g)?.length ?? 0) : 0
    while (at < content.length && !`${separator}\r\n`.includes(content[at] ?? '')) at++
    if (content[at] === separator) {
      at++
      if (at < content.length) continue
      cells.push('')
    }
    rows.push({ cells, line: first })
    if (content[at] === '\r' && content[at + 1] === '\n') at++
    at++
    line++
    first = line
    cells = []
  }
  return rows
}

const DECIMAL = /^-?\d+(?:[.,]\d+)?$/
const CLOCK = /^-?(?:\d{1,6}:)?\d{1,6}:\d{1,2}(?:[.,]\d{1,9}|[:;]\d{1,3})?$/

/** Whisper and whisper.cpp write whole milliseconds; a fraction shows seconds. */
function unitOf(times: readonly (string | undefined)[]) {
  return times.some(time => /^-?\d+[.,]\d+$/.test(time?.trim() ?? '')) ? 1 : 1000
}

function timeOf(cell: string | undefined, unit: number, line: number) {
  const time = cell?.trim() ?? ''
  if (time === '') return null
  const seconds = DECIMAL.test(time)
    ? Number(time.replace(',', '.')) / unit
    : CLOCK.test(time)
      ? parseCueTime(time.replace(/^-/, ''))
      : Number.NaN
  if (!(seconds <= LIMITS.recordingSeconds))
    throw new UnreadableTranscript(
      `Line ${line} does not hold times: write them as whole milliseconds, or as 00:00:01.000.`,
      { line }
    )
  return time.startsWith('-') ? 0 : Math.round(seconds * 1000) / 1000
}
