import { isHeading, isName, isPersonName, knownSpeaker, trimMarks } from '../../../platform/text/speaker-name.ts'
import { CLOCK_TIME, parseClockTime } from '../clock-time.ts'
import type { ParsedTranscript, Turn } from '../transcript.ts'
import { completeTranscript } from '../turns.ts'
import { leadingBracketTime, withoutBracketTimes } from './bracket-times.ts'
import { readHead } from './head.ts'
import { plainMarkdown, withoutEscapes } from './markdown.ts'
import { leftOut, readNoSpeech } from './no-speech.ts'
import { isScene } from './scenes.ts'

interface BoldHead {
  name: string
  /** True if a colon follows the name, so that no other bold words look like it. */
  hasColon: boolean
  /** True if the colon follows the bold word and a time in parentheses, as this server writes it. */
  isOwn: boolean
  /** True for an entry of a list. */
  isListed: boolean
  start: number | null
  end: number | null
  text: string
}

const MAX_HEAD = 600
const LISTED = /^\s{0,8}[-*+]\s/
const BOLD = new RegExp(
  String.raw`^\s{0,8}(?:[-*+]\s+)?(?:[[(]?(${CLOCK_TIME})[\])]?\s*(?:[-–—]\s*)?)?\*\*((?:\\.|[^*\\]){1,400})\*\*` +
    String.raw`\s*(?:[-–—|·]\s*)?(?:[[(]?(${CLOCK_TIME})(?!:\d)(?:\s?[-–]\s?(${CLOCK_TIME}))?[\])]?)?\s*(:?)(\s*)`
)
const TIME_BEFORE = new RegExp(String.raw`^[[(]?(${CLOCK_TIME})[\])]?\s*(?:[-–—]\s*)?`)
const TIME_AFTER = new RegExp(String.raw`\s*[[(](${CLOCK_TIME})[\])]$`)
const TITLE = /^#\s+(\S.*)$/
const SECTION = /^#{1,6}\s+(?:transcript|transcription)\s*$/i

/** Reads Markdown in which the name of each speaker is bold, as this server and many apps write it. Returns null for other texts. */
export function readBold(lines: readonly string[]): ParsedTranscript | null {
  const heads = chooseHeads(lines, withoutTopics(lines.map(headIn)))
  const first = heads?.findIndex(head => head !== null) ?? -1
  if (!heads || first === -1) return null
  const above = lines.slice(0, first)
  const titleAt = above.findIndex(line => TITLE.test(line))
  const title = TITLE.exec(above[titleAt] ?? '')?.[1]
  const head = readHead(above.filter((line, index) => index !== titleAt && !SECTION.test(line)).map(plainMarkdown))
  const isOwn = titleAt !== -1 && isOwnLayout(lines, heads)
  const turns = [...head.opening]
  // A line that would be the title of a file without a heading.
  const warnings = title !== undefined && head.title !== null ? [leftOut(null, head.title)] : []
  for (const [index, line] of lines.entries()) {
    const found = heads[index]
    if (index < first || line.trim() === '') continue
    if (found) turns.push(isOwn ? toOwnTurn(found) : toTurn(found))
    else if (/^#{1,6}\s/.test(line) || readNoSpeech(line)) {
      if (!SECTION.test(line) && readNoSpeech(line) !== 'markup') warnings.push(leftOut(index + 1, line))
    } else {
      const last = turns.at(-1)
      const timed = leadingBracketTime(line)
      if (last && timed && timed.start !== null && timed.text.trim() !== '')
        turns.push({
          speaker: last.speaker,
          start: timed.start,
          end: null,
          text: plainMarkdown(withoutBracketTimes(timed.text))
        })
      else if (last) last.text += `\n${plainMarkdown(withoutBracketTimes(line))}`
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

/** This server writes a paragraph for each turn, with the colon behind the bold name, and nothing between the turns. */
function isOwnLayout(lines: readonly string[], heads: readonly (BoldHead | null)[]) {
  return lines.every((line, index) => {
    const head = heads[index]
    return head ? head.isOwn : line.trim() === '' || TITLE.test(line)
  })
}

/** Times and names of any kind are words in a file of this server. */
function toOwnTurn({ name, start, end, text }: BoldHead): Turn {
  return { speaker: knownSpeaker(name), start, end, text: plainMarkdown(text) }
}

/** The time that begins the text of a turn is its start. Sounds and scenes are announced like speakers. */
function toTurn({ name, start, end, text }: BoldHead): Turn {
  const timed = start === null ? leadingBracketTime(text) : null
  return {
    speaker: isScene(name) ? null : knownSpeaker(name),
    start: start ?? timed?.start ?? null,
    end,
    text: plainMarkdown(withoutBracketTimes(timed?.text ?? text))
  }
}

function headIn(line: string): BoldHead | null {
  const found = line.includes('**') ? BOLD.exec(line.slice(0, MAX_HEAD)) : null
  if (!found) return null
  const [whole, before, bold = '', after, until, colon, blank] = found
  const outer = before ?? after
  // After bold words that end with a colon and a blank, another colon is spoken.
  const isSpoken = /:\s*\*\*\s+:\s*$/.test(whole)
  let name = trimMarks(colon && !isSpoken ? bold : bold.replace(/:\s*$/, ''))
  const [leading, timeBefore] = outer === undefined ? (TIME_BEFORE.exec(name) ?? []) : []
  name = name.slice(leading?.length ?? 0)
  const [trailing, timeAfter] = outer === undefined && leading === undefined ? (TIME_AFTER.exec(name) ?? []) : []
  name = withoutEscapes(trimMarks(trailing === undefined ? name : name.slice(0, -trailing.length)))
  const time = outer ?? timeBefore ?? timeAfter
  const text = `${isSpoken ? ':' : ''}${line.slice(whole.length)}`
  const hasColon = colon !== '' || bold.trimEnd().endsWith(':')
  if (!hasColon && blank === '' && text !== '') return null
  const isHead = hasColon || time !== undefined || text.trim() === ''
  if (!isHead || name === '') return null
  return {
    name,
    hasColon,
    isOwn: colon !== '' && !isSpoken && before === undefined,
    isListed: LISTED.test(line),
    start: secondsOf(time),
    end: secondsOf(until),
    text
  }
}

function secondsOf(time: string | undefined) {
  const seconds = time === undefined ? null : parseClockTime(time)
  return seconds !== null && Number.isFinite(seconds) ? seconds : null
}

/** Takes out the bold words of lists that somebody reads out, where most names stand in no list. */
function withoutTopics(heads: readonly (BoldHead | null)[]) {
  const names = new Set(heads.flatMap(head => (head && !head.isListed ? [head.name] : [])))
  const listed = heads.filter(head => head?.isListed).length
  if (listed > heads.filter(head => head && !head.isListed).length) return heads
  return heads.map(head => (head?.isListed && !names.has(head.name) ? null : head))
}

/**
 * Bold words within a text name nobody; the names of speakers begin most paragraphs. In a monologue they do not, but there a name with a
 * colon comes again or opens the file.
 */
function chooseHeads(lines: readonly string[], heads: readonly (BoldHead | null)[]) {
  const opening = heads[lines.findIndex(line => line.trim() !== '' && !/^#{1,6}\s/.test(line))] ?? null
  let paragraphs = 0
  let led = 0
  const counts = new Map<string, number>()
  for (const [index, line] of lines.entries()) {
    const head = heads[index] ?? null
    const begins = line.trim() !== '' && (head !== null || (lines[index - 1] ?? '').trim() === '')
    if (!begins || /^#{1,6}\s/.test(line)) continue
    paragraphs += 1
    if (head) led += 1
    if (head?.hasColon) counts.set(head.name, (counts.get(head.name) ?? 0) + 1)
  }
  if (led >= paragraphs / 2) return heads
  const isSpeaker = (head: BoldHead | null) => head?.hasColon === true && isName(head.name) && !isHeading(head.name)
  const isRepeated = heads.some(head => isSpeaker(head) && (counts.get(head?.name ?? '') ?? 0) > 1)
  if (!isRepeated && !(isSpeaker(opening) && isPersonName(opening?.name ?? ''))) return null
  return heads.map(head => (isSpeaker(head) || (head?.hasColon && isScene(head.name)) ? head : null))
}
