import { isName } from '../../../platform/text/speaker-name.ts'
import type { ParsedTranscript, Turn } from '../transcript.ts'
import { completeTranscript } from '../turns.ts'
import { readHead } from './head.ts'
import { type Header, LAYOUTS, type Layout, mayBeName, SAME_SPEAKER } from './header.ts'
import { leftOut, readNoSpeech, withoutChat } from './no-speech.ts'

interface Placed extends Header {
  at: number
}

/** A time of day cannot be the offset of a first word; a recording does not begin with an hour of silence. */
const MAX_FIRST_OFFSET = 3_600
/** The share of different names from which on they must have the form of names. */
const MAX_DISTINCT = 0.7
const HALF_A_DAY = 43_200
const DAY = 86_400

/**
 * Reads texts in which each turn has a header of its own. The layout is a property of the whole file. Returns null if no layout fits, or if
 * the general reader knows it as well.
 */
export function readHeaders(
  all: readonly string[],
  layouts: Record<string, Layout> = LAYOUTS
): ParsedTranscript | null {
  const { lines, warnings } = withoutChat(all)
  const fitting = Object.values(layouts)
    .map(layout => ({ layout, headers: findHeaders(lines, layout) }))
    .filter(({ layout, headers }) => fits(lines, layout, headers))
    .sort((a, b) => b.headers.length - a.headers.length)
  const [best] = fitting
  if (!best) return null
  const { layout, headers } = best
  const above = lines.slice(0, headers[0]?.at)
  const [first] = headers
  if (first?.name && isInitials(above.at(-1) ?? '', first.name)) above.pop()
  const head = readHead(above)
  const timed = layout.daytime ? withOffsets(headers) : headers
  let speaker: string | null = null
  const spoken = timed.map((header, index) => {
    const next = headers[index + 1]
    const said = saidIn(lines, header.at + header.lines, next?.at ?? lines.length, warnings)
    if (header.name !== SAME_SPEAKER) speaker = header.name
    if (next?.name && isInitials(said.at(-1) ?? '', next.name)) said.pop()
    return { speaker, start: header.start, end: header.end, text: said.join('\n') }
  })
  const turns = [...head.opening, ...(layout === LAYOUTS.nameAndMaybeTime ? spoken.map(withoutMarks) : spoken)]
  return completeTranscript({
    turns,
    title: head.title,
    startedAt: head.startedAt,
    warnings,
    durationSeconds: head.lengthSeconds
  })
}

/** In some files no blank line stands above a header; then each line that looks like one must be one. */
function findHeaders(lines: readonly string[], layout: Layout): Placed[] {
  const strict = headersIn(lines, layout, false)
  if (layout.sure || layout === LAYOUTS.nameAndMaybeTime) return strict
  const loose = headersIn(lines, layout, true)
  return loose.length > strict.length * 2 || !fits(lines, layout, strict) ? loose : strict
}

function headersIn(lines: readonly string[], layout: Layout, anywhere: boolean): Placed[] {
  const headers: Placed[] = []
  for (let at = 0; at < lines.length; at++) {
    const mayBegin = anywhere || layout.sure || at === 0 || isBlankLine(lines[at - 1]) || headers.length === 0
    const header = mayBegin ? layout.read(lines, at) : null
    if (!header) continue
    headers.push({ ...header, at })
    at += header.lines - 1
  }
  return headers
}

function fits(lines: readonly string[], layout: Layout, headers: Placed[]) {
  const names = headers.flatMap(({ name }) => name || [])
  if (headers.length < (layout.sure ? 1 : 2) || !(layout.sure || names.every(mayBeName))) return false
  // With times on all headers, the general reader is as good.
  const timed = headers.filter(({ start }) => start !== null).length
  if (layout === LAYOUTS.nameAndMaybeTime && (timed === 0 || timed === headers.length)) return false
  // The general reader knows all names by their letters.
  if (layout === LAYOUTS.nameAndTime && names.every(isName)) return false
  const followed = headers.filter((header, index) => hasText(lines, header, headers[index + 1]?.at)).length
  const distinct = new Set(names)
  const haveForm =
    layout.sure || layout.strong || distinct.size <= names.length * MAX_DISTINCT || [...distinct].every(isName)
  return haveForm && followed >= headers.length * 0.8
}

/** The words stand below a header, at most a blank line away. */
function hasText(lines: readonly string[], { at, lines: taken }: Placed, next = lines.length) {
  const below = lines.slice(at + taken, at + taken + 2).findIndex(line => !isBlankLine(line))
  return below !== -1 && at + taken + below < next
}

/** The page of Teams has the initials of a speaker above the name. */
function isInitials(line: string, name: string) {
  const initials = line.trim()
  const words = name.split(/\s+/)
  const first = words.map(word => [...word][0] ?? '').join('')
  return (
    /^\p{Lu}{2,3}$/u.test(initials) && (first === initials || first.startsWith(initials[0] ?? ' ')) && words.length >= 2
  )
}

function saidIn(lines: readonly string[], from: number, to: number, warnings: string[]) {
  return lines.slice(from, to).filter((line, index) => {
    const kind = readNoSpeech(line)
    if (kind === 'event') warnings.push(leftOut(from + index + 1, line))
    return kind === null && line.trim() !== ''
  })
}

/** The times that Rev writes at the begin or the end of a paragraph. */
const MARK = /^\((\d{1,3}(?::\d{2}){1,2})\)\s*|\s*\((\d{1,3}(?::\d{2}){1,2})\)$/g

function withoutMarks(turn: Turn): Turn {
  const text = turn.text
    .split('\n')
    .map(line => line.trim().replace(MARK, ''))
    .join('\n')
  return { ...turn, text }
}

/** Turns times of day into seconds since the first one, across midnight too. */
function withOffsets(headers: Placed[]): Placed[] {
  const [first] = headers.flatMap(({ start }) => start ?? [])
  if (first === undefined || first < MAX_FIRST_OFFSET) return headers
  let days = 0
  let before = first
  return headers.map(header => {
    if (header.start === null) return header
    if (header.start < before - HALF_A_DAY) days += DAY
    before = header.start
    return { ...header, start: Math.max(0, header.start + days - first) }
  })
}

function isBlankLine(line: string | undefined) {
  return line === undefined || line.trim() === ''
}
