import { lazy } from '../../../platform/core/lazy.ts'
import { type FactKind, factKind } from '../../../platform/text/fact-name.ts'
import { isName } from '../../../platform/text/speaker-name.ts'
import type { WallTime } from '../../../platform/text/wall-time.ts'
import { isWrittenDate, parseWrittenDate } from '../../../platform/text/written-date.ts'
import { parseLength } from '../clock-time.ts'
import { parseDateLine } from '../start-time.ts'
import { plainMarkdown } from './markdown.ts'
import { leftOut } from './no-speech.ts'

/** The title, start and length of a recording according to the lines above the speech. */
export interface Facts {
  title: string | null
  startedAt: WallTime | null
  lengthSeconds: number | null
}

interface ReadFacts extends Facts {
  /** The lines with those that were read blank, so that the numbers of lines stay. */
  lines: readonly string[]
  /** The facts that a session has no place for, one sentence each. */
  warnings: string[]
}

interface Fact {
  kind: FactKind | 'markup'
  value: string
}

const FACT = /^([\p{L} ]{3,20})[:：]\s*(.*)$/u
/** This server writes a speaker so; facts have the colon within the bold word. */
const BOLD_SPEAKER = /^\*\*[^*]{1,140}\*\*[:：]/
const BULLET = /^[-*•]\s+/
const SECTION = /^(?:full )?(?:transcript|transcription)\s*:?$/i
export const RULE = /^[-=*_–—]{3,}$/
const SENTENCE_END = /[.!?。！？…]["'”’)]?$/
const MAX_TITLE = 120
const MAX_LINE = 400
const MAX_KEY = 60
const MAX_HEAD_LINES = 60

/**
 * Reads `Date: 2026-03-02`, `Participants: …` and the like above the speech, and a title above them. A text without such lines stays as it
 * is; a word before a colon that comes again below is a speaker.
 */
export function readFacts(lines: readonly string[]): ReadFacts {
  const facts: Facts = { title: null, startedAt: null, lengthSeconds: null }
  const warnings: string[] = []
  const lastUses = lazy(() => new Map(lines.map((line, at) => [keyOf(line), at])))
  const read = new Set<number>()
  let isHead = false
  let inList = false
  for (const [at, whole] of lines.slice(0, MAX_HEAD_LINES).entries()) {
    const line = toPlain(whole)
    const named = BOLD_SPEAKER.test(whole) ? null : factIn(line)
    const fact = named && lastUses().get(keyOf(whole)) === at ? named : null
    const part = fact ?? otherPart(line, inList, read.size === 0)
    if (part === null) break
    isHead ||= fact !== null
    inList = fact ? fact.value === '' : inList && line !== ''
    if (!keep(facts, part)) warnings.push(leftOut(at + 1, line))
    if (line !== '') read.add(at)
  }
  const speech = lines.map((line, at) => (read.has(at) ? '' : line))
  if (isHead && speech.some(line => line.trim() !== '')) return { ...facts, lines: speech, warnings }
  return { title: null, startedAt: null, lengthSeconds: null, lines, warnings: [] }
}

function toPlain(line: string) {
  return plainMarkdown(line.slice(0, MAX_LINE)).trim().replace(BULLET, '')
}

/** Returns the word before the colon of a line; the line itself if there is none. */
function keyOf(line: string) {
  return /[:：]/.test(line.slice(0, MAX_KEY)) ? (FACT.exec(toPlain(line))?.[1] ?? line) : line
}

function factIn(line: string): Fact | null {
  // The head of Otter files has such a line too; the general reader knows what stands around it.
  if (isWrittenDate(line)) return parseDateLine(line) === null ? { kind: 'date', value: line } : null
  const [, key = '', value = ''] = FACT.exec(line) ?? []
  const kind = factKind(key)
  return kind && { kind, value }
}

/** A title, a blank line or a rule, and the entries of a list such as that of the participants. */
function otherPart(line: string, inList: boolean, isFirst: boolean): Fact | null {
  if (line === '' || SECTION.test(line) || RULE.test(line)) return { kind: 'markup', value: line }
  if (inList && isName(line)) return { kind: 'other', value: line }
  return isFirst && mayBeTitle(line) && !/[:：]/.test(line) ? { kind: 'title', value: line } : null
}

/** Returns whether a line above the speech is short, and not a sentence. */
export function mayBeTitle(line: string) {
  return line.length <= MAX_TITLE && !SENTENCE_END.test(line)
}

/** Returns false for a fact that a session has no place for, or that is not read. */
function keep(facts: Facts, { kind, value }: Fact) {
  if (kind === 'title') facts.title = value
  else if (kind === 'date') return keepDate(facts, value)
  else if (kind === 'length') return keepLength(facts, value)
  return kind !== 'other'
}

/** A time may follow its day in a line of its own. */
function keepDate(facts: Facts, value: string) {
  const day = facts.startedAt?.text.replace('T00:00:00', '')
  const found = parseWrittenDate(day === undefined ? value : `${day} ${value}`)
  if (found === null || found.text === facts.startedAt?.text) return false
  facts.startedAt = found
  return true
}

function keepLength(facts: Facts, value: string) {
  const found = facts.lengthSeconds === null ? parseLength(value) : null
  if (found !== null) facts.lengthSeconds = found
  return found !== null
}
