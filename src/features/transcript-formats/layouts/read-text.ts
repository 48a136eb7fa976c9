import { parseText } from '../text.ts'
import type { ParsedTranscript } from '../transcript.ts'
import { readBold } from './bold.ts'
import { readFacts } from './facts.ts'
import { readHeaders } from './headers.ts'
import { plainMarkdown } from './markdown.ts'
import { readMeet } from './meet.ts'

/** Reads text in the layout of a known tool, else as the general reader does. */
export function readText(content: string): ParsedTranscript {
  const lines = content.split(/\r\n|\r|\n/)
  return readMeet(lines) ?? withFacts(lines, readTurns)
}

function readTurns(lines: readonly string[]) {
  return readBold(lines) ?? readHeaders(lines) ?? sinceFirstWord(parseText(lines.join('\n')))
}

/** Reads the speech below the head of a file. */
function withFacts(all: readonly string[], read: (lines: readonly string[]) => ParsedTranscript): ParsedTranscript {
  const { lines, title, startedAt, lengthSeconds, warnings } = readFacts(all)
  const transcript = read(lines)
  return {
    ...transcript,
    title: title ?? transcript.title ?? null,
    startedAt: startedAt ?? transcript.startedAt ?? null,
    durationSeconds: lengthSeconds ?? transcript.durationSeconds,
    warnings: [...warnings, ...(transcript.warnings ?? [])]
  }
}

/** Reads Markdown. Its first heading is the title. */
export function readMarkdown(content: string): ParsedTranscript {
  const lines = content.split(/\r\n|\r|\n/)
  return readMeet(lines) ?? withFacts(lines, readMarkdownTurns)
}

function readMarkdownTurns(lines: readonly string[]) {
  const known = readBold(lines)
  if (known) return known
  const titleAt = lines.findIndex(line => line.trim() !== '')
  const [, title] = /^#\s+(\S.*)$/.exec(lines[titleAt] ?? '') ?? []
  const plain = (title === undefined ? lines : lines.slice(titleAt + 1))
    .filter(line => !SECTION.test(line))
    .map(plainMarkdown)
  const transcript = readHeaders(plain) ?? sinceFirstWord(parseText(plain.join('\n')))
  return title === undefined ? transcript : { ...transcript, title: plainMarkdown(title) }
}

const SECTION = /^#{1,6}\s+(?:transcript|transcription)\s*$/i

/** No recording begins with hours of silence, so later times are those of a clock on the wall. */
const MAX_FIRST_SECONDS = 4 * 3_600

function sinceFirstWord(transcript: ParsedTranscript): ParsedTranscript {
  const first = transcript.segments[0]?.start ?? 0
  if (first < MAX_FIRST_SECONDS) return transcript
  const since = (time: number | null) => (time === null ? null : Math.round((time - first) * 1000) / 1000)
  const segments = transcript.segments.map(said => ({ ...said, start: since(said.start), end: since(said.end) }))
  const { durationSeconds: length } = transcript
  return { ...transcript, segments, durationSeconds: length !== null && length > first ? since(length) : length }
}
