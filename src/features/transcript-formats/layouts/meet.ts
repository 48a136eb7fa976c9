import { isName, trimMarks } from '../../../platform/text/speaker-name.ts'
import { parseClockTime } from '../clock-time.ts'
import type { ParsedTranscript, Turn } from '../transcript.ts'
import { completeTranscript } from '../turns.ts'
import { plainMarkdown } from './markdown.ts'
import { readMeetTitle } from './meet-title.ts'
import { leftOut } from './no-speech.ts'

interface Line {
  number: number
  text: string
}

const TIME = /^\W{0,10}(\d{1,2}:\d{2}:\d{2})\W{0,10}$/
const LABEL = /^([^:：]{1,80})[:：](?:\s+|$)/
/** "Transcription ended after 00:09:41", in any language. */
const ENDED = /^\p{L}[^:：]{5,60}\s(\d{1,2}:\d{2}:\d{2})\W{0,10}$/u
const FOOTER = /^This editable transcript was computer generated/i
const TITLE = /\s[-–—]\s(?:Transcript|Transcrição|Transcripción|Transcription|Trascrizione|Transkript|文字起こし)$/i
/** Headings above the speech. */
const SECTION = /^\W{0,6}(?:Transcript|Transcripción|Transcrição|Transcription|Trascrizione|Transkript)$/i
const ABOUT =
  /^\W{0,6}(?:Attendees|Invited|Teilnehmer|Teilnehmende|Asistentes|Participants|Participantes|Attachments|Meeting records)\b/i

/** Reads the document that Google Meet makes of a meeting. A time stands above the turns of some minutes. Returns null for other texts. */
export function readMeet(raw: readonly string[]): ParsedTranscript | null {
  const lines = raw
    .map((line, index) => ({ number: index + 1, text: trimMarks(plainMarkdown(line)) }))
    .filter(({ text }) => text !== '')
  if (!isMeet(lines)) return null
  const end = lines.findIndex(({ text }, index) => FOOTER.test(text) || (ENDED.test(text) && isLast(lines, index)))
  const spoken = end === -1 ? lines : lines.slice(0, end)
  const begin = beginOf(spoken)
  const { title, startedAt, warnings } = readAbove(spoken.slice(0, begin))
  const turns = turnsIn(spoken.slice(begin), labelsIn(spoken.slice(begin)))
  const ended = lines.map(({ text }) => ENDED.exec(text)?.[1]).findLast(time => time !== undefined)
  const durationSeconds = ended === undefined ? null : finite(parseClockTime(ended))
  const below = end === -1 ? [] : lines.slice(end).filter(({ text }) => !FOOTER.test(text) && !ENDED.test(text))
  return completeTranscript({
    turns:
      durationSeconds === null ? turns : [...turns, { speaker: null, start: durationSeconds, end: null, text: '' }],
    title,
    startedAt,
    durationSeconds,
    warnings: [...warnings, ...below.map(({ number, text }) => leftOut(number, text))]
  })
}

function isMeet(lines: readonly Line[]) {
  const labels = lines.filter(({ text }) => LABEL.test(text)).length
  const times = lines.filter(({ text }) => TIME.test(text)).length
  const marked = lines.some(({ text }) => FOOTER.test(text) || (TITLE.test(text) && text.length <= 300))
  return labels > 0 && (marked || (times > 0 && labels >= lines.length / 2 && labels >= times))
}

function isLast(lines: readonly Line[], index: number) {
  return lines.slice(index + 1).every(({ text }) => !LABEL.test(text) || text.length > 60)
}

/** The speech begins at the first time, or below the last heading of the head. */
function beginOf(lines: readonly Line[]) {
  const time = lines.findIndex(({ text }) => TIME.test(text))
  if (time !== -1) return time
  const heading = lines.findIndex(({ text }) => SECTION.test(text))
  if (heading !== -1) return heading + 1
  const first = lines.findIndex(({ text }) => isName(LABEL.exec(text)?.[1]?.trim() ?? '') && !ABOUT.test(text))
  return first === -1 ? 0 : first
}

function readAbove(lines: readonly Line[]) {
  const titleAt = lines.findIndex(({ text }) => TITLE.test(text))
  const at = titleAt === -1 ? 0 : titleAt
  const found = readMeetTitle(
    lines[at]?.text.replace(TITLE, '') ?? '',
    lines.slice(0, at + 2).map(({ text }) => text)
  )
  let inList = false
  const warnings = lines.flatMap(({ number, text }, index) => {
    const isHeading = SECTION.test(text) || ABOUT.test(text)
    const isListed = inList && !isHeading
    inList = ABOUT.test(text)
    const isKnown = index === at || isHeading || isListed || found.lines.includes(text)
    return isKnown ? [] : [leftOut(number, text)]
  })
  return { ...found, warnings }
}

/** Names are those before a colon that look like names or come again; each paragraph has one. */
function labelsIn(lines: readonly Line[]) {
  const counts = new Map<string, number>()
  for (const { text } of lines) {
    const name = LABEL.exec(text)?.[1]?.trim()
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return new Set([...counts].filter(([name, count]) => count > 1 || isName(name)).map(([name]) => name))
}

function turnsIn(lines: readonly Line[], names: ReadonlySet<string>): Turn[] {
  const turns: Turn[] = []
  let start: number | null = null
  for (const { text } of lines) {
    const [, time] = TIME.exec(text) ?? []
    const [label, name] = LABEL.exec(text) ?? []
    const last = turns.at(-1)
    if (time !== undefined) start = finite(parseClockTime(time))
    else if (label !== undefined && name !== undefined && names.has(name.trim())) {
      turns.push({ speaker: name.trim(), start, end: null, text: text.slice(label.length) })
      start = null
    } else if (last && start === null) last.text += `\n${text}`
    else {
      turns.push({ speaker: last?.speaker ?? null, start, end: null, text })
      start = null
    }
  }
  return turns
}

function finite(seconds: number) {
  return Number.isFinite(seconds) ? seconds : null
}
