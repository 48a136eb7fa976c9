import { LIMITS } from '../../contract/limits.ts'
import { knownSpeaker } from '../../platform/text/speaker-name.ts'
import { parseClockTime } from './clock-time.ts'
import { sinceFirstHour } from './first-hour.ts'
import { type ParsedTranscript, type Turn, UnreadableTranscript } from './transcript.ts'
import { completeTranscript, withLabels } from './turns.ts'
import { type OpenElement, readElements } from './xml.ts'

/** The time code of a film often begins at the first hour. */
const HOUR = 3_600

/** The rates that the root element gives for frames and ticks. */
interface Rates {
  frame: number
  tick: number
}

/** Timed Text (TTML, DFXP, iTT), also as Apple Podcasts writes it: a span for each word, and agents who speak. */
export function parseTtml(content: string): ParsedTranscript {
  const names = new Map<string, string>()
  const turns: Turn[] = []
  let rates: Rates = { frame: 30, tick: 1 }
  let language: string | null = null
  let title = ''
  let isOpen = false
  let isTimeCode = false
  let agent = ''
  readElements(
    content,
    {
      open(element, path) {
        const { name, attributes } = element
        const turn = isOpen ? turns.at(-1) : undefined
        if (name === 'tt') {
          rates = ratesOf(attributes)
          language = attributes.lang || null
          isTimeCode = attributes.timeBase === 'smpte'
        } else if (name === 'agent') agent = attributes.id ?? ''
        else if (name === 'p') {
          isOpen = true
          turns.push({ ...timesOf(element, timesAbove(path, rates), rates), speaker: speakerOf(path), text: '' })
        } else if (turn && name === 'br') turn.text += '\n'
        else if (turn && name === 'span') {
          if (attributes.unit === 'word' && /\S$/.test(turn.text.slice(-1))) turn.text += ' '
          turn.speaker ??= attributes.agent ?? null
          addTimes(turn, timesOf(element, timesAbove(path, rates), rates), path)
        }
      },
      text(text, path) {
        const turn = isOpen ? turns.at(-1) : undefined
        const inside = path.at(-1)?.name
        // A line break of the file is layout.
        if (turn) turn.text += text.replace(/\s+/g, ' ')
        else if (inside === 'name' && agent !== '') names.set(agent, (names.get(agent) ?? '') + text)
        else if (inside === 'title') title += text
      },
      close({ name }) {
        if (name === 'p') isOpen = false
        if (name === 'agent') agent = ''
      }
    },
    { xml: true }
  )
  const speakers = new Map<string | null, string | null>()
  for (const id of new Set(turns.map(turn => turn.speaker)))
    speakers.set(id, knownSpeaker(names.get(id ?? '')?.trim() || id))
  const spoken = turns.map(turn => ({ ...turn, speaker: speakers.get(turn.speaker) ?? null }))
  const placed = sinceFirstHour(spoken, isTimeCode ? HOUR : undefined)
  return completeTranscript({ turns: withLabels(placed), language, title: title.trim() || null })
}

function ratesOf({ frameRate, frameRateMultiplier, tickRate }: Record<string, string>): Rates {
  const [numerator = 1, denominator = 1] = (frameRateMultiplier ?? '1 1').split(/[\s:]+/).map(Number)
  const frame = (Number(frameRate) || 30) * (numerator / denominator || 1)
  return { frame, tick: Number(tickRate) || (frameRate ? frame : 1) }
}

/** The elements around a paragraph may name its speaker. */
function speakerOf(path: readonly OpenElement[]) {
  return (
    path
      .findLast(({ attributes }) => attributes.agent)
      ?.attributes.agent?.trim()
      .split(/\s+/)[0] ?? null
  )
}

/** Times count from the begin of the elements around. */
function timesAbove(path: readonly OpenElement[], rates: Rates) {
  const around = path.filter(({ name }) => name === 'body' || name === 'div')
  return around.reduce((sum, { attributes }) => sum + (parseTime(attributes.begin, rates) ?? 0), 0)
}

function timesOf({ attributes }: OpenElement, from: number, rates: Rates) {
  const [begin, end, length] = [attributes.begin, attributes.end, attributes.dur].map(time => parseTime(time, rates))
  const start = begin === null || begin === undefined ? null : round(from + begin)
  if (end !== null && end !== undefined) return { start, end: round(from + end) }
  return { start, end: start === null || length === null || length === undefined ? null : round(start + length) }
}

/** A paragraph without times has those of its spans. */
function addTimes(
  turn: Turn,
  { start, end }: { start: number | null; end: number | null },
  path: readonly OpenElement[]
) {
  const paragraph = path.findLast(({ name }) => name === 'p')
  if (paragraph?.attributes.begin !== undefined) return
  turn.start ??= start
  if (end !== null) turn.end = Math.max(turn.end ?? 0, end)
}

const OFFSET = /^(\d{1,12}(?:\.\d{1,9})?)(h|m|s|ms|f|t)?$/
const CLOCK = /^(\d{1,6}(?::\d{1,6}){1,2}(?:\.\d{1,9})?)$/
const FRAMES = /^(\d{1,6}:\d{1,2}:\d{1,2})[:;](\d{1,3})(?:\.\d{1,3})?$/

/** Parses `1.3s`, `00:00:01.300`, `00:00:01:08` with frames, and 1.3 as Apple writes it. Null if there is none. */
function parseTime(text: string | undefined, rates: Rates) {
  if (text === undefined) return null
  const [, amount, unit = 's'] = OFFSET.exec(text.trim()) ?? []
  const [, clock, frames] = FRAMES.exec(text.trim()) ?? CLOCK.exec(text.trim()) ?? []
  const seconds =
    amount !== undefined
      ? Number(amount) * secondsPer(unit, rates)
      : clock !== undefined
        ? parseClockTime(clock) + Number(frames ?? 0) / rates.frame
        : Number.NaN
  if (seconds <= LIMITS.recordingSeconds) return seconds
  throw new UnreadableTranscript(`The time ${text.slice(0, 40)} cannot be read: write it as 00:00:01.000 or 1.5s.`)
}

function secondsPer(unit: string, { frame, tick }: Rates) {
  return { h: 3_600, m: 60, s: 1, ms: 0.001, f: 1 / frame, t: 1 / tick }[unit] ?? 1
}

function round(seconds: number) {
  return Math.round(seconds * 1000) / 1000
}
