import { oneLine } from '../../contract/text.ts'
import {
  TRANSCRIPT_TYPES,
  type TranscriptFormat,
  type TranscriptRange,
  transcriptFormat
} from '../../contract/transcript.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { preferredType } from '../../platform/net/accept.ts'
import { clockText } from '../../platform/text/clock-text.ts'
import { escapeMarkdown } from '../../platform/text/escape.ts'
import { factKind } from '../../platform/text/fact-name.ts'
import { flatText, isTimed, type Segment, type TimedSegment } from '../../platform/text/segment.ts'
import { isName } from '../../platform/text/speaker-name.ts'
import { writeCueId } from './cue-id.ts'
import { toCues } from './cues.ts'
import { markLabel, readsAs } from './speaker-labels.ts'
import { toSrt } from './subrip.ts'

interface Transcript {
  title: string
  segments: readonly Segment[]
}

const FORMATS = transcriptFormat.options
const JSON_OR_FILE = ['application/json', ...FORMATS.map(format => TRANSCRIPT_TYPES[format])] as const

/** Returns the format that an Accept header prefers. Undefined means JSON. */
export function preferredFormat(accept: string | undefined) {
  const type = preferredType(accept, JSON_OR_FILE)
  return FORMATS.find(format => TRANSCRIPT_TYPES[format] === type)
}

/**
 * Writes the part of a transcript within the range as a file. Throws conflict if the file or the range needs times and there are none;
 * `param` names what asked for the format.
 */
export function writeTranscript(
  format: TranscriptFormat,
  { title, segments }: Transcript,
  range: TranscriptRange,
  param: 'Accept' | 'format' = 'format'
) {
  const isCaptions = format === 'vtt' || format === 'srt'
  if (isCaptions && !hasTimes(segments))
    throw new ApiError('conflict', 'the transcript has no times; read it as txt or md', { field: param })
  const said = segmentsWithin(segments, range)
  if (format === 'txt') return toText(said)
  if (format === 'md') return toMarkdown(title, said)
  const cued = said.filter(isTimed)
  return format === 'vtt' ? toVtt(cued) : toSrt(cued)
}

/** The part of a transcript within the range, as the API answers it besides its id. Without times, `segments` are left out. */
export function toTranscript(segments: readonly Segment[], range: TranscriptRange = {}) {
  const said = segmentsWithin(segments, range)
  return { transcript: flatText(said), ...(hasTimes(segments) && { segments: said.filter(isTimed) }) }
}

/** The same as recipients of a share get it: all segments, without unknown times and empty speakers. */
export function toSharedTranscript(segments: readonly Segment[], range: TranscriptRange = {}) {
  const said = segmentsWithin(segments, range)
  return { transcript: flatText(said), segments: said.map(toSharedSegment) }
}

function toSharedSegment({ speaker, start, end, text }: Segment) {
  return { ...(speaker && { speaker }), ...(start !== null && { start }), ...(end !== null && { end }), text }
}

/** Returns whether all segments have times. */
export function hasTimes(segments: readonly Segment[]) {
  return segments.length > 0 && segments.every(isTimed)
}

/** Returns the segments that are at least partly within the range. Throws conflict if it has a limit and they have no times. */
export function segmentsWithin(segments: readonly Segment[], { start, end }: TranscriptRange) {
  if ((start === undefined && end === undefined) || segments.length === 0) return segments
  if (!hasTimes(segments)) {
    throw new ApiError('conflict', 'the transcript has no times; leave out start and end', {
      field: start === undefined ? 'end' : 'start'
    })
  }
  const [from, to] = [start ?? 0, end ?? Number.POSITIVE_INFINITY]
  return segments.filter(isTimed).filter(said => said.start < to && (said.end > from || said.start >= from))
}

const VTT_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '{': '&#123;' }

/** Escapes a brace before a backslash as well: players take it for an override of SubStation Alpha. */
function escapeVtt(text: string) {
  return text.replace(/[&<>]|\{(?=\\)/g, character => VTT_ENTITIES[character] ?? '')
}

/** WebVTT names the speaker in each cue. */
function toVtt(segments: readonly TimedSegment[]) {
  const cues = toCues(segments).map(cue => {
    const times = `${clockText(cue.start, '.')} --> ${clockText(cue.end, '.')}`
    return `\n${writeCueId(cue)}\n${times}\n<v ${escapeVtt(cue.speaker)}>${escapeVtt(cue.text)}\n`
  })
  return `WEBVTT\n${cues.join('')}`
}

interface WholeTurn {
  speaker: string
  start: number | null
  end: number | null
  text: string
}

/** Joins consecutive segments of one speaker. */
function joinTurns(segments: readonly Segment[]): WholeTurn[] {
  const turns: (Omit<WholeTurn, 'text'> & { texts: string[] })[] = []
  for (const { speaker: name, start, end, text: said } of segments) {
    const [speaker, text, turn] = [oneLine(name), oneLine(said), turns.at(-1)]
    if (turn?.speaker !== speaker) turns.push({ speaker, start, end, texts: [text] })
    else {
      turn.texts.push(text)
      turn.end = end === null ? turn.end : Math.max(turn.end ?? end, end)
    }
  }
  return turns.map(({ texts, ...turn }) => ({ ...turn, text: texts.join(' ') }))
}

/** A line for each turn. All labels are marked where an import would not recognise each of them. */
function toText(segments: readonly Segment[]) {
  const turns = joinTurns(segments)
  const lines = turns.map(({ speaker, text }) => ({ speaker, line: `${speaker}: ${text}` }))
  const isPlain =
    turns.every(({ speaker, text }) => isPlainName(speaker) && !TIME_IN_BRACKETS.test(text)) && readsAs(lines)
  return turns.map(({ speaker, text }) => `${isPlain ? speaker : markLabel(speaker)}: ${text}\n`).join('')
}

const HAS_TIME = /\d:\d/
/** A reader takes a time in brackets for one of the recording. */
const TIME_IN_BRACKETS = /[[(#]\s{0,2}\d{1,4}[:/-]\d/
/** A reader takes these words behind a name for the place or the role of a speaker in a broadcast. */
const WITH_ROLE = /[)\]]$|^[^\p{Ll}]{1,100}, /u

/** A reader would take the first line of a speaker called Speakers for a fact of the conversation. */
function isPlainName(speaker: string) {
  return isName(speaker) && !HAS_TIME.test(speaker) && !WITH_ROLE.test(speaker) && factKind(speaker) === null
}

/** A paragraph for each turn with its time, if the source has one, and its end unless the next turn starts then. */
function toMarkdown(title: string, segments: readonly Segment[]) {
  const turns = joinTurns(segments)
  const paragraphs = turns.map(({ speaker, start, end, text }, index) => {
    const until = end === (turns[index + 1]?.start ?? start) ? null : end
    const range = [start, until].flatMap(time => (time === null ? [] : shortTime(time))).join('–')
    return `\n**${escapeMarkdown(speaker)}**${range && ` (${range})`}: ${escapeMarkdown(text)}\n`
  })
  return `# ${escapeMarkdown(oneLine(title))}\n${paragraphs.join('')}`
}

/** Hours, minutes and seconds, with milliseconds where there are any. */
function shortTime(seconds: number) {
  return clockText(Math.round(seconds * 1_000), '.').replace(/\.000$/, '')
}
