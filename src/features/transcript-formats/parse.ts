import { type ImportDocument, storable } from '../../contract/import-document.ts'
import { ignoredKeys } from '../../contract/import-keys.ts'
import { FIELD_LIMITS, LIMITS } from '../../contract/limits.ts'
import { isBlank } from '../../contract/text.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import type { Segment } from '../../platform/text/segment.ts'
import { isPersonName } from '../../platform/text/speaker-name.ts'
import type { WallTime } from '../../platform/text/wall-time.ts'
import { chooseParser, extensionOf, isOtherThanText } from './choose-parser.ts'
import { parseLenient, readToolJson } from './json/read-json.ts'
import { readImportDocument } from './read-document.ts'
import { type ParsedTranscript, UnreadableTranscript } from './transcript.ts'

/** Parses a file of any supported format as an import document, which it holds or which is made of its transcript. Throws only UnreadableTranscript. */
export function parseDocument(fileName: string, content: string): ParsedDocument {
  const read = readFile(fileName, content)
  if ('document' in read) return read
  const { segments, language, durationSeconds, startedAt, title, warnings = [] } = read
  const speakers = namedSpeakers(segments)
  return {
    document: {
      ...(title && { title: storable(title.slice(0, LIMITS.title)) }),
      segments,
      language,
      ...(durationSeconds !== null && { duration_seconds: durationSeconds }),
      ...(speakers.length > 0 && { speakers })
    },
    warnings: [...warnings, ...describeCut(title)],
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
    const extension = extensionOf(fileName)
    const json = jsonIn(extension, text)
    if (json === undefined) return spoken(chooseParser(extension, text)(text))
    const found = readToolJson(json)
    if ('transcript' in found) return spoken(found.transcript)
    return { document: readImportDocument(found.document), warnings: ignoredKeys(found.document), startedAt: null }
  } catch (error) {
    throw unreadable(error)
  }
}

function describeCut(title: string | null | undefined) {
  return title && title.length > LIMITS.title ? [`title: only the first ${LIMITS.title} characters are kept`] : []
}

/** An import document has these limits by its shape. */
function spoken(transcript: ParsedTranscript) {
  const { segments } = transcript
  if (segments.length === 0) throw new UnreadableTranscript('The file holds no speech.')
  if (segments.length > FIELD_LIMITS.entries)
    throw new UnreadableTranscript(`segments: expected a list of at most ${FIELD_LIMITS.entries} segments.`)
  const long = segments.findIndex(({ text }) => text.length > FIELD_LIMITS.segmentText)
  if (long !== -1)
    throw new UnreadableTranscript(
      `segments.${long}.text: expected a text of at most ${FIELD_LIMITS.segmentText} characters.`
    )
  return transcript
}

function unreadable(error: unknown) {
  if (error instanceof UnreadableTranscript) return error
  if (error instanceof ApiError) return new UnreadableTranscript(error.message, { cause: error })
  return new UnreadableTranscript('The file cannot be read.', { cause: error })
}

function jsonIn(extension: string, text: string): unknown {
  const named = extension === 'json'
  const like = /^\s*(?:\{\s*["}]|\[\s*[[{\]])/.test(text)
  if (!named && !like) return undefined
  try {
    return parseLenient(text)
  } catch (error) {
    if (!like && isOtherThanText(text)) return undefined
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
