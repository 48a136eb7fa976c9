import { oneLine } from '../contract/text.ts'
import {
  TRANSCRIPT_TYPES,
  type TranscriptFormat,
  type TranscriptRange,
  transcriptFormat
} from '../contract/transcript.ts'
import { preferredType } from './accept.ts'
import { ApiError } from './api-error.ts'
import { writeCueId } from './cue-id.ts'
import { toCues } from './cues.ts'
import { escapeMarkdown } from './escape.ts'
import { flatText, isTimed, type Segment, type TimedSegment } from './segment.ts'

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
  if (format === 'txt') return said.length > 0 ? `${flatText(said)}\n` : ''
  if (format === 'md') return toMarkdown(title, said)
  const cued = said.filter(isTimed)
  return format === 'vtt' ? toVtt(cued) : toSrt(cued)
}

/** The part of a transcript within the range, as the API answers it besides its id. Without times, `segments` are left out. */
export function toTranscript(segments: readonly Segment[], range: TranscriptRange = {}) {
  const said = segmentsWithin(segments, range)
  return { transcript: flatText(said), ...(hasTimes(segments) && { segments: said.filter(isTimed) }) }
}

/** Returns whether all segments have times. */
function hasTimes(segments: readonly Segment[]) {
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

function toVtt(segments: readonly TimedSegment[]) {
  const cues = toCues(segments).map(cue => {
    const times = `${clockTime(cue.start, '.')} --> ${clockTime(cue.end, '.')}`
    return `\n${writeCueId(cue)}\n${times}\n<v ${escapeVtt(cue.speaker)}>${escapeVtt(cue.text)}\n`
  })
  return `WEBVTT\n${cues.join('')}`
}

const MAX_LABEL_CHARACTERS = 40

function toSrt(segments: readonly TimedSegment[]) {
  const cues = toCues(segments, speaker => labelOf(speaker).length).map(({ start, end, speaker, text }, index, all) => {
    const label = speaker === all[index - 1]?.speaker ? '' : labelOf(speaker)
    return `${clockTime(start, ',')} --> ${clockTime(end, ',')}\n${withoutMarkup(label + text)}\n`
  })
  // ffmpeg warns of a cue that is the same as the one before.
  const different = cues.filter((cue, index) => cue !== cues[index - 1])
  return different.map((cue, index) => `${index + 1}\n${cue}`).join('\n')
}

/** SubRip has no escapes, so an arrow, which would begin a cue, tags and overrides are written with other characters. */
function withoutMarkup(text: string) {
  return text
    .replaceAll('-->', '→')
    .replaceAll('{\\', '｛\\')
    .replace(/<([^<>]*)>/g, '‹$1›')
}

/** The name of a speaker in front of the text. A long one is shortened, because it counts as text. */
function labelOf(speaker: string) {
  return speaker.length <= MAX_LABEL_CHARACTERS
    ? `${speaker}: `
    : `${speaker.slice(0, MAX_LABEL_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…: `
}

/** One paragraph for each turn, with its time if the source has one. */
function toMarkdown(title: string, segments: readonly Segment[]) {
  const turns: { speaker: string; start: number | null; texts: string[] }[] = []
  for (const { speaker, start, text } of segments) {
    const turn = turns.at(-1)
    if (turn?.speaker === speaker) turn.texts.push(oneLine(text))
    else turns.push({ speaker, start, texts: [oneLine(text)] })
  }
  const paragraphs = turns.map(({ speaker, start, texts }) => {
    const time = start === null ? '' : ` (${clockTime(start * 1_000, '.').slice(0, -4)})`
    return `\n**${escapeMarkdown(oneLine(speaker))}**${time}: ${escapeMarkdown(texts.join(' '))}\n`
  })
  return `# ${escapeMarkdown(oneLine(title))}\n${paragraphs.join('')}`
}

/** Hours, minutes, seconds and milliseconds, such as `01:02:03.004`. */
function clockTime(milliseconds: number, separator: string) {
  const ms = Math.floor(milliseconds)
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1_000) % 60
  ].map(pad)
  return `${hours}:${minutes}:${seconds}${separator}${String(ms % 1_000).padStart(3, '0')}`
}

function pad(number: number) {
  return String(number).padStart(2, '0')
}
