import { fitsTranscript } from '../../contract/import-document.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { LineChange, TranscriptLine } from '../../contract/transcript-change.ts'
import { invalid } from '../../platform/core/api-error.ts'
import type {
  CorrectableLines,
  CorrectedTranscript,
  Correcting,
  Counting,
  TermSet
} from '../../platform/ports/corrected-transcript.ts'
import { readSegments, type Segment } from '../../platform/text/segment.ts'
import { openTermMatcher } from '../../platform/text/term-matcher.ts'
import { listPassages } from '../library/index/passages.ts'
import { keysIn, listSpeakers } from '../library/speakers.ts'
import { hasTimes } from './transcript-file.ts'

/**
 * Changes lines of a transcript, and lists what follows from them: the speakers and the passages. Returns undefined if every line stays the
 * same. Throws invalid_request for a line that the transcript doesn't have, and for lines that it has no room for.
 */
export function correctLines({
  segments: json,
  speakers,
  changes,
  now
}: Omit<Correcting, 'kind'>): CorrectedTranscript | undefined {
  const before = readSegments(json)
  const { made, changed, isSame, isTimed } =
    'terms' in changes ? byTerms(before, changes, now) : byHand(before, changes, now)
  if (isSame) return undefined
  const after = made.filter(said => said !== undefined)
  if (isTimed) after.sort((one, other) => (one.start ?? 0) - (other.start ?? 0))
  requireRoom(before, after)
  const [keysBefore, keysAfter] = [keysIn(before), keysIn(after)]
  const written = JSON.stringify(after)
  const bytes = Buffer.byteLength(written)
  return {
    json: written,
    bytes,
    grownBy: bytes - Buffer.byteLength(JSON.stringify(before)),
    lines: after.flatMap((said, index) => (changed.has(said) ? [toLine(said, index)] : [])),
    ...listMoved(made, after),
    gone: [...keysBefore.difference(keysAfter)],
    added: [...keysAfter.difference(keysBefore)],
    heard: listSpeakers(after, speakers),
    passages: listPassages(after)
  }
}

/** The new index of each line, if any has another one than before. */
function listMoved(made: readonly (Segment | undefined)[], after: readonly Segment[]) {
  const indexes = new Map(after.map((said, index) => [said, index]))
  const moved = made.map(said => (said && indexes.get(said)) ?? null)
  return moved.some((index, before) => index !== before) ? { moved } : {}
}

/** Counts the lines that terms would change. Throws invalid_request for more text than a transcript has room for. */
export function countLines({ segments: json, ...terms }: Omit<Counting, 'kind'>): CorrectableLines {
  const before = readSegments(json)
  const { made: after } = byTerms(before, terms)
  requireRoom(before, after)
  const lines = after.flatMap(({ text: corrected }, index) => {
    const text = before[index]?.text ?? ''
    return corrected === text ? [] : [{ index, text, corrected }]
  })
  return { count: lines.length, first: lines.slice(0, MAX_SHOWN) }
}

const MAX_SHOWN = 5

interface Changed<Line extends Segment | undefined = Segment | undefined> {
  /** The lines in the place of those before; undefined for one that is removed. */
  made: Line[]
  /** The lines after the change that a correction names. */
  changed: Set<Segment>
  isSame: boolean
  /** True if the lines are to be put in the order of their starts. */
  isTimed: boolean
}

function byTerms(before: readonly Segment[], { terms, kept }: TermSet, now = ''): Changed<Segment> {
  const matcher = openTermMatcher(terms, kept)
  const changed = new Set<Segment>()
  const made = before.map(said => {
    const text = matcher.correct(said.text)
    if (text === said.text) return said
    const line = { ...said, text, edited_at: now }
    changed.add(line)
    return line
  })
  return { made, changed, isSame: changed.size === 0, isTimed: false }
}

function byHand(before: readonly Segment[], changes: readonly LineChange[], now: string): Changed {
  const byIndex = requireLines(before, changes)
  const isTimed = hasTimes(before)
  const changed = new Set<Segment>()
  let isSame = true
  const made = before.map((said, index) => {
    const found = byIndex.get(index)
    if (!found) return said
    const line = changeLine(said, found.change, found.at, isTimed)
    isSame &&= line === said
    if (line === undefined) return undefined
    const stamped = line === said ? said : { ...line, edited_at: now }
    changed.add(stamped)
    return stamped
  })
  return { made, changed, isSame, isTimed }
}

/** A line as the API shows it, without unknown times. */
export function toLine({ speaker, start, end, text, edited_at }: Segment, index: number): TranscriptLine {
  return {
    index,
    speaker,
    ...(start !== null && { start }),
    ...(end !== null && { end }),
    text,
    ...(edited_at !== undefined && { edited_at })
  }
}

/** Returns the changes by the index of their line, each with its place in the request. */
function requireLines(segments: readonly Segment[], changes: readonly LineChange[]) {
  const byIndex = new Map<number, { change: LineChange; at: number }>()
  for (const [at, change] of changes.entries()) {
    const { index } = change
    const field = `segments.${at}.index`
    if (byIndex.has(index)) throw invalid({ field, problem: `line ${index} occurs twice`, expected: 'each line once' })
    if (index >= segments.length) {
      const expected = segments.length === 0 ? 'a line of a transcript' : `an index from 0 to ${segments.length - 1}`
      throw invalid({ field, problem: `the transcript has no line ${index}`, expected })
    }
    byIndex.set(index, { change, at })
  }
  return byIndex
}

/** Returns the changed line; the same one if it stays as it is, and undefined if it is removed. */
function changeLine(said: Segment, { text, speaker, start, end }: LineChange, at: number, isTimed: boolean) {
  if (text === null) return undefined
  if (!isTimed && (start !== undefined || end !== undefined)) {
    const field = `segments.${at}.${start === undefined ? 'end' : 'start'}`
    throw invalid({ field, problem: 'the transcript has no times', expected: 'text and speaker only' })
  }
  const line = {
    ...said,
    text: text ?? said.text,
    speaker: speaker ?? said.speaker,
    start: start ?? said.start,
    end: end ?? said.end
  }
  if ((line.end ?? 0) < (line.start ?? 0)) {
    const field = `segments.${at}.${end === undefined ? 'start' : 'end'}`
    throw invalid({
      field,
      problem: 'the line would end before it starts',
      expected: 'a start that is not after the end'
    })
  }
  const isSame = (['text', 'speaker', 'start', 'end'] as const).every(name => line[name] === said[name])
  return isSame ? said : line
}

/** Throws if a correction makes a transcript too large. One that was too large already may shrink. */
function requireRoom(before: readonly Segment[], after: readonly Segment[]) {
  if (!fitsTranscript(after) && charactersOf(after) > charactersOf(before))
    throw invalid({ field: 'segments', expected: `lines of at most ${LIMITS.transcript} characters together` })
  const labels = labelsOf(after)
  if (labels > LIMITS.speakerLabels && labels > labelsOf(before))
    throw invalid({ field: 'segments', expected: `lines of at most ${LIMITS.speakerLabels} speakers together` })
}

function charactersOf(segments: readonly Segment[]) {
  return segments.reduce((sum, { text }) => sum + text.length, 0)
}

function labelsOf(segments: readonly Segment[]) {
  return new Set(segments.map(({ speaker }) => speaker)).size
}
