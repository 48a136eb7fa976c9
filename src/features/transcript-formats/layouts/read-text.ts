import { hasMarkedLabel } from '../../transcripts/speaker-labels.ts'
import { MAX_FIRST_SECONDS } from '../../transcripts/tape-clock.ts'
import { parseText } from '../text.ts'
import type { ParsedTranscript } from '../transcript.ts'
import { readBold } from './bold.ts'
import { readBroadcast, withoutRoles } from './broadcast.ts'
import { readChapters } from './chapters.ts'
import { readDeposition } from './deposition.ts'
import { readFacts } from './facts.ts'
import { readFrontMatter, withFrontMatter } from './front-matter.ts'
import { readHeaders } from './headers.ts'
import { readHeadings } from './headings.ts'
import { rewriteTimes } from './line-times.ts'
import { plainMarkdown } from './markdown.ts'
import { readMeet } from './meet.ts'
import { leftOut } from './no-speech.ts'
import { readTableRows } from './table-rows.ts'

/** Reads text in the layout of a known tool, else as the general reader does. */
export function readText(content: string): ParsedTranscript {
  return read(content, readTurns)
}

/** Reads Markdown. Its first heading is the title. */
export function readMarkdown(content: string): ParsedTranscript {
  return read(content, readMarkdownTurns)
}

type ReadTurns = (lines: readonly string[]) => ParsedTranscript

function read(content: string, readSpeech: ReadTurns): ParsedTranscript {
  const all = content.split(/\r\n|\r|\n/)
  const front = readFrontMatter(all)
  // Markdown of an archive is Markdown whatever its extension is.
  const speech = front ? readMarkdownTurns : readSpeech
  const lines = front?.lines ?? all
  const transcript = readMeet(lines) ?? readDeposition(lines) ?? readPlain(lines, speech)
  return front ? withFrontMatter(transcript, front) : transcript
}

/** Rewrites what tools write in ways of their own, so that the readers of layouts know it. A file of this server has nothing of it. */
function readPlain(all: readonly string[], readSpeech: ReadTurns): ParsedTranscript {
  if (all.some(hasMarkedLabel)) return withFacts(all, readSpeech)
  const broadcast = readBroadcast(readTableRows(all))
  const chapters = readChapters(broadcast.lines)
  const { lines, startedAt } = rewriteTimes(chapters.lines)
  const transcript = withFacts(lines, readSpeech)
  return {
    ...transcript,
    startedAt: transcript.startedAt ?? startedAt,
    warnings: [...broadcast.warnings, ...chapters.warnings, ...(transcript.warnings ?? [])]
  }
}

function readTurns(lines: readonly string[]) {
  return readBold(lines) ?? withoutRoles(readHeaders(lines) ?? sinceFirstWord(parseText(lines.join('\n'))))
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
    warnings: [...warnings, ...otherTitle(title, transcript.title), ...(transcript.warnings ?? [])]
  }
}

/** A line that would be the title of a text without another one is no speech either. */
function otherTitle(title: string | null, other: string | null | undefined) {
  return title !== null && other && other !== title ? [leftOut(null, other)] : []
}

function readMarkdownTurns(all: readonly string[]): ParsedTranscript {
  const known = readBold(all)
  if (known) return known
  const { title, lines, warnings } = readHeadings(all)
  const plain = lines.map(plainMarkdown)
  const transcript = withoutRoles(readHeaders(plain) ?? sinceFirstWord(parseText(plain.join('\n'))))
  return {
    ...transcript,
    title: title ?? transcript.title ?? null,
    warnings: [...warnings, ...(transcript.warnings ?? [])]
  }
}

/** The times of a clock on the wall count from the first one. */
function sinceFirstWord(transcript: ParsedTranscript): ParsedTranscript {
  const first = transcript.segments[0]?.start ?? 0
  if (first < MAX_FIRST_SECONDS) return transcript
  const since = (time: number | null) => (time === null ? null : Math.round((time - first) * 1000) / 1000)
  const segments = transcript.segments.map(said => ({ ...said, start: since(said.start), end: since(said.end) }))
  const { durationSeconds: length } = transcript
  return { ...transcript, segments, durationSeconds: length !== null && length > first ? since(length) : length }
}
