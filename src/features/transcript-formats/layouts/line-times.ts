import { isName } from '../../../platform/text/speaker-name.ts'
import { parseCueTime } from '../clock-time.ts'
import { withoutBracketTimes } from './bracket-times.ts'
import { readDaytimes } from './daytimes.ts'

/** Lines whose times are written in one way: `[0:00:01.000] text` or `[0:00:01.000 --> 0:00:03.000] text`. */
type Rewrite = (lines: readonly string[]) => readonly string[]

const MAX_HEAD = 200
const T = String.raw`\d{1,3}:\d{2}(?::\d{2})?(?:[:;.,]\d{1,3})?`
/** f4, MAXQDA and NVivo: the last number counts tenths. */
const HASHED = /#(\d{1,2}:\d{2}:\d{2})-(\d{1,3})#/g
const ARROW = String.raw`\s*(?:-->|->|→|–>|—>|-|–|—|\bto\b)\s*`
const RANGE = new RegExp(String.raw`^\s*[[(]?\s*(${T})${ARROW}(${T})\s*[\])]?(?:\s*[|:·•]\s*|\s+[-–—]\s+|\s+|$)`)
const NAME_IN_BRACKETS = /^[[(]([^[\]()]{1,100})[\])]\s*:?\s*$/
const LABEL_THEN_TIME = new RegExp(String.raw`^([^:[\]()*]{1,80}):\s*[[(](${T})[\])]\s+(?=\S)`)
const END_TIME = new RegExp(String.raw`\s*\[(${T})\](?:\s*\[\d{1,6}(?:\.\d{1,3})?\])?\s*$`)
const START_TIME = new RegExp(String.raw`^\s*\[(${T})\]`)
const BARE = /^\s*(\d{1,3}:[0-5]\d)\s+(?=\S)/
const ALONE = /^\s*\d{1,6}\s*$/

/** Rewrites the times of a text to the way in which the other readers know them. Texts without such times stay as they are. */
export function rewriteTimes(lines: readonly string[]): {
  lines: readonly string[]
  startedAt: ReturnType<typeof readDaytimes>['startedAt']
} {
  const { lines: dated, startedAt } = readDaytimes(lines)
  const rewritten = REWRITES.reduce((before, rewrite) => rewrite(before), dated)
  const isTimed = rewritten !== lines || lines.filter(line => START_TIME.test(line)).length >= 2
  return { lines: isTimed ? rewritten.map(withoutInnerTimes) : lines, startedAt }
}

const REWRITES: readonly Rewrite[] = [readHashed, readRanges, readLabelled, readEnds, readBare]

function withoutInnerTimes(line: string) {
  const [head = ''] = /^\s*\[[^\]]{0,40}\]/.exec(line) ?? []
  const rest = line.slice(head.length)
  return rest.includes('[') ? `${head}${/^\s/.exec(rest)?.[0] ?? ''}${withoutBracketTimes(rest).trimStart()}` : line
}

function readHashed(lines: readonly string[]) {
  if (!lines.some(line => /#\d{1,2}:\d{2}:\d{2}-\d{1,3}#/.test(line))) return lines
  let last = '0:00:00'
  return lines.map(line => {
    const times = [...line.matchAll(HASHED)].map(([, time = '', tenths = '0']) => `${time}.${tenths}`)
    if (times.length === 0) return line
    const text = line.replace(HASHED, ' ').trim().replace(/ {2,}/g, ' ')
    const begins = /^\s*#\d/.test(line)
    const ends = /#\s*$/.test(line) && text !== ''
    const start = begins ? (times[0] ?? last) : last
    const end = ends && !(begins && times.length === 1) ? times.at(-1) : undefined
    last = end ?? start
    return end === undefined ? `[${start}] ${text}` : `[${start} --> ${end}] ${text}`
  })
}

/** Ranges of all dialects. The number above one is that of a caption. */
function readRanges(lines: readonly string[]) {
  const found = lines.map(line => RANGE.exec(line.slice(0, MAX_HEAD)))
  if (found.filter(Boolean).length < Math.min(2, lines.filter(line => line.trim() !== '').length / 2)) return lines
  return lines.map((line, at) => {
    if (ALONE.test(line) && found[at + 1]) return ''
    const [whole, from = '', to = ''] = found[at] ?? []
    if (whole === undefined) return line
    const [start, end] = [parseCueTime(from), parseCueTime(to)]
    if (!Number.isFinite(start) || !Number.isFinite(end) || end < start) return line
    const rest = line.slice(whole.length).trim()
    const name = NAME_IN_BRACKETS.exec(rest)?.[1] ?? rest
    return `[${written(start)} --> ${written(end)}] ${name}`.trimEnd()
  })
}

/** `Marta: [00:00:01] text` */
function readLabelled(lines: readonly string[]) {
  const found = lines.map(line => LABEL_THEN_TIME.exec(line.slice(0, MAX_HEAD)))
  if (found.filter(Boolean).length < 2) return lines
  return lines.map((line, at) => {
    const [whole, label, time] = found[at] ?? []
    return whole === undefined ? line : `[${time}] ${label}: ${line.slice(whole.length)}`
  })
}

/** A time in brackets at the end of a line is the end of the turn, if times begin the lines. */
function readEnds(lines: readonly string[]) {
  const led = lines.filter(line => START_TIME.test(line)).length
  if (led < 2 || !lines.some(line => END_TIME.test(line.slice(-MAX_HEAD)))) return lines
  return lines.map(line => {
    const [tail, time = ''] = END_TIME.exec(line.slice(-MAX_HEAD)) ?? []
    const [head, from = ''] = START_TIME.exec(line) ?? []
    if (
      tail === undefined ||
      tail.length >= line.trim().length ||
      (head !== undefined && head.length >= line.length - tail.length)
    )
      return line
    const text = line.slice(head?.length ?? 0, line.length - tail.length).trim()
    const isLater = head !== undefined && parseCueTime(time) >= parseCueTime(from)
    return isLater ? `[${from} --> ${time}] ${text}` : head === undefined ? text : `[${from}] ${text}`
  })
}

const MIN_SHARE = 0.7

/** `0:03 text`: a bare time begins most paragraphs, and later ones are not smaller. Names behind the times are the heads of turns. */
function readBare(lines: readonly string[]) {
  const found = lines.map(line => BARE.exec(line))
  const at = found.flatMap((match, index) => (match ? [index] : []))
  if (at.length < 2) return lines
  const paragraphs = lines.filter(
    (line, index) => line.trim() !== '' && (found[index] || (lines[index - 1] ?? '').trim() === '')
  ).length
  if (at.length < paragraphs * MIN_SHARE || at[0] !== lines.findIndex(line => line.trim() !== '')) return lines
  const times = at.map(index => parseCueTime(found[index]?.[1] ?? ''))
  if (times.some((time, index) => index > 0 && time < (times[index - 1] ?? 0))) return lines
  const rests = at.map(index => (lines[index] ?? '').slice(found[index]?.[0].length ?? 0).trim())
  if (rests.filter(rest => isName(rest.replace(/:$/, ''))).length > rests.length * (1 - MIN_SHARE)) return lines
  return lines.map((line, index) => {
    const [whole, time] = found[index] ?? []
    return whole === undefined ? line : `[${time}] ${line.slice(whole.length)}`
  })
}

function written(seconds: number) {
  const ms = Math.round(seconds * 1000)
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60]
  return `${parts.map(part => String(part).padStart(2, '0')).join(':')}.${String(ms % 1000).padStart(3, '0')}`
}
