import { knownSpeaker, trimMarks } from '../../../platform/text/speaker-name.ts'
import { CLOCK_TIME, parseClockTime } from '../clock-time.ts'
import type { ParsedTranscript } from '../transcript.ts'
import { completeTranscript } from '../turns.ts'
import { readHead } from './head.ts'
import { plainMarkdown, withoutEscapes } from './markdown.ts'
import { leftOut, readNoSpeech } from './no-speech.ts'

interface BoldHead {
  name: string
  start: number | null
  end: number | null
  text: string
}

const MAX_HEAD = 600
const BOLD = new RegExp(
  String.raw`^\s{0,8}(?:[-*+]\s+)?(?:[[(]?(${CLOCK_TIME})[\])]?\s*(?:[-–—]\s*)?)?\*\*((?:\\.|[^*\\]){1,400})\*\*` +
    String.raw`\s*(?:[-–—|·]\s*)?(?:[[(]?(${CLOCK_TIME})(?:\s?[-–]\s?(${CLOCK_TIME}))?[\])]?)?\s*(:?)(?:\s+|$)`
)
const TIME_BEFORE = new RegExp(String.raw`^[[(]?(${CLOCK_TIME})[\])]?\s*(?:[-–—]\s*)?`)
const TIME_AFTER = new RegExp(String.raw`\s*[[(](${CLOCK_TIME})[\])]$`)
const TITLE = /^#\s+(\S.*)$/
const SECTION = /^#{1,6}\s+(?:transcript|transcription)\s*$/i

/** Reads Markdown in which the name of each speaker is bold, as this server and many apps write it. Returns null for other texts. */
export function readBold(lines: readonly string[]): ParsedTranscript | null {
  const heads = lines.map(headIn)
  const first = heads.findIndex(head => head !== null)
  if (first === -1 || !leadsParagraphs(lines, heads)) return null
  const above = lines.slice(0, first)
  const titleAt = above.findIndex(line => TITLE.test(line))
  const title = TITLE.exec(above[titleAt] ?? '')?.[1]
  const head = readHead(above.filter((line, index) => index !== titleAt && !SECTION.test(line)).map(plainMarkdown))
  const turns = [...head.opening]
  const warnings: string[] = []
  for (const [index, line] of lines.entries()) {
    const found = heads[index]
    if (index < first || line.trim() === '') continue
    if (found) turns.push({ speaker: knownSpeaker(found.name), start: found.start, end: found.end, text: found.text })
    else if (/^#{1,6}\s/.test(line) || readNoSpeech(line)) {
      if (!SECTION.test(line) && readNoSpeech(line) !== 'markup') warnings.push(leftOut(index + 1, line))
    } else {
      const last = turns.at(-1)
      if (last) last.text += `\n${plainMarkdown(line)}`
    }
  }
  return completeTranscript({
    turns,
    title: title === undefined ? head.title : plainMarkdown(title),
    startedAt: head.startedAt,
    durationSeconds: head.lengthSeconds,
    warnings
  })
}

function headIn(line: string): BoldHead | null {
  const found = line.includes('**') ? BOLD.exec(line.slice(0, MAX_HEAD)) : null
  if (!found) return null
  const [whole, before, bold = '', after, until, colon] = found
  const outer = before ?? after
  let name = trimMarks(colon ? bold : bold.replace(/:\s*$/, ''))
  const [leading, timeBefore] = outer === undefined ? (TIME_BEFORE.exec(name) ?? []) : []
  name = name.slice(leading?.length ?? 0)
  const [trailing, timeAfter] = outer === undefined && leading === undefined ? (TIME_AFTER.exec(name) ?? []) : []
  name = withoutEscapes(trimMarks(trailing === undefined ? name : name.slice(0, -trailing.length)))
  const time = outer ?? timeBefore ?? timeAfter
  const text = line.slice(whole.length)
  const isHead = colon !== '' || bold.trimEnd().endsWith(':') || time !== undefined || text.trim() === ''
  if (!isHead || name === '') return null
  return { name, start: secondsOf(time), end: secondsOf(until), text: plainMarkdown(text) }
}

function secondsOf(time: string | undefined) {
  const seconds = time === undefined ? null : parseClockTime(time)
  return seconds !== null && Number.isFinite(seconds) ? seconds : null
}

/** Bold words within a text name nobody; the names of speakers begin most paragraphs. */
function leadsParagraphs(lines: readonly string[], heads: readonly (BoldHead | null)[]) {
  let paragraphs = 0
  let led = 0
  for (const [index, line] of lines.entries()) {
    const begins = line.trim() !== '' && (heads[index] !== null || (lines[index - 1] ?? '').trim() === '')
    if (!begins || /^#{1,6}\s/.test(line)) continue
    paragraphs += 1
    if (heads[index]) led += 1
  }
  return led >= paragraphs / 2
}
