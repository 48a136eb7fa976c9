import { type ImportDocument, storable } from '../../contract/import-document.ts'
import { ignoredKeys } from '../../contract/import-keys.ts'
import { FIELD_LIMITS, LIMITS } from '../../contract/limits.ts'
import { isBlank } from '../../contract/text.ts'
import { ApiError } from '../../core/api-error.ts'
import type { Segment } from '../../core/segment.ts'
import { isPersonName } from '../../core/speaker-name.ts'
import type { WallTime } from '../../core/wall-time.ts'
import { readImportDocument } from '../read-document.ts'
import { parseSrt, parseVtt } from './captions.ts'
import { isCueTiming } from './cues.ts'
import { parseLenient, readToolJson } from './json/read-json.ts'
import { parseText } from './text.ts'
import { type ParsedTranscript, UnreadableTranscript } from './transcript.ts'

/** Parses a file of any supported format as an import document, which it holds or which is made of its transcript. Throws only UnreadableTranscript. */
export function parseDocument(fileName: string, content: string): ParsedDocument {
  const read = readFile(fileName, content)
  if ('document' in read) return read
  const { segments, language, durationSeconds, startedAt, title, warnings = [] } = read
  const speakers = namedSpeakers(segments)
  return {
    document: {
      ...(title && { title: title.slice(0, LIMITS.title) }),
      segments,
      language,
      ...(durationSeconds !== null && { duration_seconds: durationSeconds }),
      ...(speakers.length > 0 && { speakers })
    },
    warnings,
    startedAt: startedAt ?? null
  }
}

export interface ParsedDocument {
  document: ImportDocument
  /** The ignored parts, one sentence each. */
  warnings: string[]
  /** The start according to the file outside of its document. */
  startedAt: WallTime | null
}

/** Returns labels that are names of people, unlike "Speaker 1". */
function namedSpeakers(segments: Segment[]) {
  const labels = [...new Set(segments.map(({ speaker }) => speaker))].filter(isPersonName)
  return labels.slice(0, FIELD_LIMITS.speakers).map(label => ({ label, person: label, is_me: false }))
}

function readFile(fileName: string, content: string): ParsedTranscript | ParsedDocument {
  try {
    const text = storable(content.replace(/^\uFEFF/, ''))
    if (isBlank(text)) throw new UnreadableTranscript('The file is empty.')
    refuseOtherFormats(text)
    const json = jsonIn(fileName, text)
    if (json === undefined) return spoken(parserFor(fileName, text)(text))
    const found = readToolJson(json)
    if ('transcript' in found) return spoken(found.transcript)
    return { document: readImportDocument(found.document), warnings: ignoredKeys(found.document), startedAt: null }
  } catch (error) {
    throw unreadable(error)
  }
}

function spoken(transcript: ParsedTranscript) {
  if (transcript.segments.length === 0) throw new UnreadableTranscript('The file holds no speech.')
  return transcript
}

function unreadable(error: unknown) {
  if (error instanceof UnreadableTranscript) return error
  if (error instanceof ApiError) return new UnreadableTranscript(error.message, { cause: error })
  return new UnreadableTranscript('The file cannot be read.', { cause: error })
}

const SAMPLE = 4096

/** The beginnings of files in other formats, in lower case. Bytes that are not UTF-8 are windows-1252. */
const OTHER_FORMATS: [name: string, ...beginnings: string[]][] = [
  ['a zip archive, as .docx, .odt and .xlsx are', 'pk\x03\x04'],
  ['an older Office document, such as .doc', 'ðï\x11à¡±\x1aá'],
  ['a PDF', '%pdf-'],
  ['an RTF document', '{\\rtf'],
  ['a web page', '<!doctype html', '<html>', '<html '],
  ['compressed', '\x1f‹', "7z¼¯'\x1c", 'rar!\x1a']
]

function refuseOtherFormats(text: string) {
  const sample = text.slice(0, SAMPLE)
  const beginning = sample.trimStart().toLowerCase()
  const [name] = OTHER_FORMATS.find(([, ...beginnings]) => beginnings.some(known => beginning.startsWith(known))) ?? []
  if (name !== undefined) throw new UnreadableTranscript(`The file is ${name}: save its text as .txt and send that.`)
  const controls = sample.match(/[^\P{Cc}\s]/gu)?.length ?? 0
  if (controls > sample.length / 20) throw new UnreadableTranscript(NOT_TEXT)
}

const NOT_TEXT =
  'The file is not plain text: send a .vtt, .srt, .txt or .json file, or a recording under its own extension, such as .mp3.'

function jsonIn(fileName: string, text: string): unknown {
  const named = extensionOf(fileName) === 'json'
  const like = /^\s*(?:\{\s*["}]|\[\s*[[{\]])/.test(text)
  if (!named && !like) return undefined
  try {
    return parseLenient(text)
  } catch (error) {
    if (!like && parserFor('', text) !== parseText) return undefined
    throw notJson(error)
  }
}

// The message of the engine quotes the file, so only the position is used.
function notJson(error: unknown) {
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(error instanceof Error ? error.message : '') ?? []
  if (line === undefined) return new UnreadableTranscript('The file is not valid JSON.', { cause: error })
  return new UnreadableTranscript(`The file is not valid JSON at line ${line}, column ${column}.`, {
    line: Number(line),
    cause: error
  })
}

const SNIFFED_LINES = 10

/** The extension decides unless the text starts like another format. */
function parserFor(fileName: string, text: string) {
  if (/^WEBVTT(?=\s|$)/.test(text)) return parseVtt
  const extension = extensionOf(fileName)
  if (extension === 'vtt') return parseVtt
  if (extension === 'srt') return parseSrt
  const opening = text.slice(0, SAMPLE).split(/\r\n|\r|\n/)
  return opening
    .filter(line => line.trim() !== '')
    .slice(0, SNIFFED_LINES)
    .some(isCueTiming)
    ? parseSrt
    : parseText
}

function extensionOf(fileName: string) {
  return /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ''
}
