import { CLOCK_TIME, parseLength } from '../clock-time.ts'
import { parseDateLine } from '../start-time.ts'
import type { Turn } from '../transcript.ts'
import { type Facts, mayBeTitle, RULE } from './facts.ts'

interface Head extends Facts {
  /** The lines that are speech before the first header. */
  opening: Turn[]
}

/** Lines in the head of an export that are about the recording. */
const ABOUT = [
  /^(?:VIEW RECORDING|WATCH RECORDING|RECORDING)\b.{0,200}$/,
  /^(?:transcript|transcription|captions?|attendees|participants|speakers|invited|meeting records|search|notes)\s*:?$/i,
  /^(?:date|time|duration|length|participants?|attendees|speakers|language|recorded (?:on|at|by)|meeting (?:id|link|date)|link|url|source|host)\s*:\s.{0,300}$/i,
  /^https?:\/\/\S+$/,
  RULE,
  /^(?:\d{1,3}\s?(?:hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b[,\s]*){1,3}$/i,
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d{1,2},? \d{4}(?:,? .{0,40})?$/i,
  /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:,? .{0,40})?$/
]
/** Headings of lists in the head. */
const LIST = /^(?:summary keywords|keywords|speakers|attendees|participants|invited)\s*:?$/i
const LENGTH = new RegExp(`^(?:duration|length)\\s*:\\s*(${CLOCK_TIME})$`, 'i')

/** Reads what stands before the first header: a title, facts about the recording, and words that were said before. */
export function readHead(lines: readonly string[]): Head {
  const head: Head = { title: null, startedAt: null, lengthSeconds: null, opening: [] }
  const said: string[] = []
  let inList = false
  for (const raw of lines) {
    const line = raw.trim()
    const isListed: boolean = inList && line !== ''
    inList = LIST.test(line) || isListed
    if (line === '' || isListed) continue
    const [, length] = LENGTH.exec(line) ?? []
    const startedAt = parseDateLine(line)
    if (startedAt) head.startedAt ??= startedAt
    else if (length !== undefined) head.lengthSeconds = parseLength(length)
    else if (ABOUT.some(pattern => pattern.test(line.slice(0, 400)))) continue
    else if (head.title === null && said.length === 0 && mayBeTitle(line)) head.title = line
    else said.push(line)
  }
  if (said.length > 0) head.opening.push({ speaker: null, start: null, end: null, text: said.join('\n') })
  return head
}
