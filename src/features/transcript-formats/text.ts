import { DEFAULT_SPEAKER } from '../../contract/import-document.ts'
import { withTimes } from '../../contract/transcript.ts'
import { parseName } from '../../platform/text/speaker-name.ts'
import { assignSpeakers, findTurns, hasMarkedLabel, type SpokenPart } from '../transcripts/speaker-labels.ts'
import { CLOCK_TIME, parseClockTime, parseLength } from './clock-time.ts'
import { parseDateLine } from './start-time.ts'
import { lastEnd, type ParsedTranscript, toSegments } from './transcript.ts'

interface Head {
  speaker: string | null
  start: number | null
  end: number | null
  text: string
  /** True if the line has only a name and a time, with the text below. */
  header: boolean
}

interface OpenTurn extends Head {
  lines: string[]
}

// The footer of Otter exports.
const FOOTER = /^Transcribed by https?:\/\/otter\.ai\s*$/
/** Sections that Otter writes between date and transcript. */
const SECTION = /^(?:SUMMARY KEYWORDS|KEYWORDS|SPEAKERS)\s*$/
/** The length of the recording after the date, as in `• 45:12`. */
const LENGTH = new RegExp(`[•·|]\\s*(${CLOCK_TIME})\\s*$`)
/** Teams puts this behind the title of a meeting. */
const TEAMS_RECORDING = /-\d{8}_\d{6}(?:UTC)?-Meeting (?:Recording|Transcript)$/
const HEAD_LINES = 5
const MAX_HEAD = 160
const MAX_TITLE = 300
const RANGE = `(${CLOCK_TIME})(?:\\s*(?:-->|→|-|–|—)\\s*(${CLOCK_TIME}))?`
const BRACKETED_TIME = new RegExp(`^\\s*[\\[(]\\s*${RANGE}\\s*[\\])]\\s*(?:[-–—:]\\s)?`)
const BARE_TIME = new RegExp(`^\\s*${RANGE}(?=\\s|$)`)
const NAME_AND_TIME = new RegExp(`^(.{1,80}?)\\s*[\\[(]\\s*${RANGE}\\s*[\\])]\\s*(:|$)`)
const NAME_THEN_TIME = new RegExp(`^(.{1,80}?)\\s+(?:[-–—|·]\\s+)?${RANGE}\\s*$`)

/**
 * Turns without a time lie between the others. A lone time among many turns without one is text.
 */
export function parseText(content: string): ParsedTranscript {
  if (hasMarkedLabel(content)) return parseMarkedText(content)
  const { lines, startedAt, lengthSeconds, above } = withoutHead(
    content.split(/\r\n|\r|\n/).filter(line => !FOOTER.test(line))
  )
  const timed = timedTurns(turnsOf(lines, true))
  const opening = timed && titleOf(timed)
  const turns =
    timed?.slice(opening ? 1 : 0) ?? turnsOf(lines, false).map(turn => ({ ...turn, start: null, end: null }))
  let current: string | null = null
  const segments = withTimes(
    toSegments(
      turns.map(({ speaker, start, end, lines: said }) => {
        current = speaker ?? current
        return { speaker: current, start, end, text: said.join(' ') }
      })
    )
  )
  const [title, ...ignored] = [...above, ...(opening ?? [])]
  return {
    segments,
    language: null,
    durationSeconds: lengthSeconds ?? (timed?.at(-1)?.end === null ? null : lastEnd(segments)),
    ...(startedAt && { startedAt }),
    title: title ?? null,
    warnings: ignored.map(line => `Ignored, because it stands in the head: ${line}`)
  }
}

/** Reads a text that this server has written with marks, a turn on each line. */
function parseMarkedText(content: string): ParsedTranscript {
  const turns = assignSpeakers(content.split('\n'), { dashes: false }).flat()
  const segments = toSegments(turns.map(turn => ({ ...turn, start: null, end: null })))
  return { segments, language: null, durationSeconds: null }
}

const SENTENCE_END = /[.!?。！？…]["'”’)]?\s*$/

/** The length of a recording in the head of Teams transcripts. */
const DURATION = /^\s*(?:\d{1,4}\s?[hms]\b\s*){1,3}$/

/** Returns the lines of a title before the first time, or null if they are speech: sentences, or the words of a speaker. */
function titleOf([first, next]: readonly OpenTurn[]) {
  if (!first || !next || first.start !== null || first.speaker !== null || next.start === null) return null
  const lines = first.lines.filter(line => !DURATION.test(line))
  const isTitle = lines.join(' ').length <= MAX_TITLE && !lines.some(line => SENTENCE_END.test(line))
  return isTitle ? lines : null
}

/** Reads the head of the files of Otter and Teams: title, date, length, keywords and speakers. */
function withoutHead(lines: string[]) {
  const at = lines.slice(0, HEAD_LINES).findIndex(line => parseDateLine(line) !== null)
  if (at === -1) return { lines, startedAt: null, lengthSeconds: null, above: [] }
  let from = at + 1
  while (from < lines.length && (isBlankLine(lines[from]) || SECTION.test(lines[from] ?? ''))) {
    if (!isBlankLine(lines[from])) while (from < lines.length && !isBlankLine(lines[from])) from++
    from++
  }
  const dateLine = lines[at] ?? ''
  // Teams has the length below the date.
  const below = parseLength(lines[from]?.trim() ?? '')
  const lengthSeconds = below ?? parseLength(LENGTH.exec(dateLine)?.[1] ?? '')
  return {
    lines: lines.slice(below === null ? from : from + 1),
    startedAt: parseDateLine(dateLine),
    lengthSeconds,
    above: lines.slice(0, at).flatMap(line => (isBlankLine(line) ? [] : line.replace(TEAMS_RECORDING, '')))
  }
}

function isBlankLine(line: string | undefined) {
  return line === undefined || line.trim() === ''
}

/** `times`: a time without a name starts a turn; otherwise it is text. */
function turnsOf(lines: string[], times: boolean) {
  const labels = labelsIn(lines)
  const heads = lines.map((line, index) => headOf(line, labels[index] ?? null, times))
  const led = layoutOf(heads)
  const turns: OpenTurn[] = []
  let paragraphEnded = false
  for (const [index, line] of lines.entries()) {
    const head = heads[index] ?? null
    const open = turns.at(-1)
    if (head && led(head)) {
      turns.push({ ...head, lines: [head.text] })
    } else if (line.trim() !== '') {
      const unled = open === undefined || (paragraphEnded && open.speaker === null && open.start === null)
      if (unled) turns.push({ speaker: null, start: null, end: null, text: line, header: false, lines: [line] })
      else open.lines.push(line)
    }
    paragraphEnded = line.trim() === ''
  }
  return turns
}

/** The names before the texts, behind times. Blank lines say nothing of the share of lines with a name. */
function labelsIn(lines: readonly string[]) {
  const spoken = lines.flatMap((line, index) => (line.trim() === '' ? [] : [{ index, text: withoutTime(line) }]))
  const turns = findTurns(spoken.map(({ text }) => text))
  const labels = lines.map((): SpokenPart | null => null)
  for (const [at, { index }] of spoken.entries()) labels[index] = turns[at] ?? null
  return labels
}

function withoutTime(line: string) {
  const { found } = leadingTime(line.slice(0, MAX_HEAD))
  return line.slice(found?.[0].length ?? 0)
}

/**
 * Returns whether a head starts a turn. In a file with headers of name and time, "Budget: fine so far" is speech; in a file with names
 * before the text, "Weekly Review 10:30" is speech. The more frequent layout wins.
 */
function layoutOf(heads: (Head | null)[]) {
  const isHeader = (head: Head) => head.header && head.speaker !== null
  const headers = heads.filter(head => head !== null && isHeader(head)).length
  const labels = heads.filter(head => head !== null && head.start === null).length
  return (head: Head) => (headers >= labels ? headers === 0 || head.start !== null : !isHeader(head))
}

function headOf(line: string, part: SpokenPart | null, times: boolean): Head | null {
  const label = part && { ...part, speaker: part.speaker ?? DEFAULT_SPEAKER }
  const head = line.slice(0, MAX_HEAD)
  const { found, sure } = leadingTime(head)
  if (found) {
    const text = line.slice(found[0].length)
    if (label) return { ...label, ...span(found[1], found[2]), header: false }
    if (sure || text.trim() === '')
      return times ? { speaker: null, ...span(found[1], found[2]), text, header: text.trim() === '' } : null
    return null
  }
  return headerOf(line, head) ?? (label && { ...label, start: null, end: null, header: false })
}

// A bare "10:30" may start a sentence; with hours or fractions it is a time of the recording.
function leadingTime(head: string) {
  const bracketed = BRACKETED_TIME.exec(head)
  if (bracketed) return { found: bracketed, sure: true }
  const found = BARE_TIME.exec(head)
  return { found, sure: found !== null && /:.*[:.,]|-->/.test(found[0]) }
}

function headerOf(line: string, head: string): Head | null {
  if (!/\d:\d/.test(head)) return null
  const found = NAME_AND_TIME.exec(head) ?? (line.length < MAX_HEAD ? NAME_THEN_TIME.exec(head) : null)
  const speaker = found ? parseName(found[1] ?? '') : null
  if (!found || speaker === null) return null
  const text = line.slice(found[0].length)
  return { speaker, ...span(found[2], found[3]), text, header: text.trim() === '' }
}

function span(from: string | undefined, to: string | undefined) {
  const start = parseClockTime(from ?? '')
  const end = to === undefined ? null : parseClockTime(to)
  return Number.isFinite(start) && (end === null || Number.isFinite(end)) ? { start, end } : { start: null, end: null }
}

/** Returns the turns, or null if too few of them have times for these to be times of the recording. */
function timedTurns(turns: OpenTurn[]) {
  const timed = turns.filter(({ start }) => start !== null).length
  return timed > 1 || timed * 2 > turns.length ? turns : null
}
