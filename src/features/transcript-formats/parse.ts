import { type ImportDocument, storable } from '../../contract/import-document.ts'
import { ignoredKeys } from '../../contract/import-keys.ts'
import { FIELD_LIMITS, LIMITS } from '../../contract/limits.ts'
import { isBlank, oneLine } from '../../contract/text.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import type { Segment } from '../../platform/text/segment.ts'
import { isNameOfSomebody } from '../../platform/text/speaker-name.ts'
import type { WallTime } from '../../platform/text/wall-time.ts'
import { toBesides } from './besides.ts'
import { parseSrt, parseVtt } from './captions.ts'
import { isCueTiming } from './cues.ts'
import { parseLenient, readToolJson } from './json/read-json.ts'
import { parseJsonLines } from './json-lines.ts'
import { LAYOUTS } from './layouts/header.ts'
import { readHeaders } from './layouts/headers.ts'
import { readMarkdown, readText } from './layouts/read-text.ts'
import { isLrcTag, parseLrc } from './lrc.ts'
import { refuseOtherContent, refuseOtherExtension, refuseOtherXml } from './other-formats.ts'
import { isPodcastHtml, parsePodcastHtml } from './podcast-html.ts'
import { readArchivedDocument, readImportDocument } from './read-document.ts'
import { isSbvTiming, parseSbv } from './sbv.ts'
import { isLabelTrack, parseLabelTrack, parseTable, separatorIn } from './tables.ts'
import { type ParsedTranscript, UnreadableTranscript } from './transcript.ts'
import { parseTtml } from './ttml.ts'
import { parseYouTubeXml } from './youtube-xml.ts'

/** Parses a file of any supported format as an import document, which it holds or which is made of its transcript. Throws only UnreadableTranscript. */
export function parseDocument(fileName: string, content: string): ParsedDocument {
  const read = readFile(fileName, content)
  if ('document' in read) return read
  const { segments, language, durationSeconds, startedAt, title, warnings = [] } = read
  const speakers = namedSpeakers(segments)
  const besides = toBesides(read)
  return {
    document: {
      ...(title && { title: storable(title.slice(0, LIMITS.title)) }),
      segments,
      language,
      ...(durationSeconds !== null && { duration_seconds: durationSeconds }),
      ...(speakers.length > 0 && { speakers }),
      ...besides.fields
    },
    warnings: [...warnings, ...describeCut(title), ...besides.warnings],
    startedAt: startedAt ?? null
  }
}

/** Reads the import document of a session in an archive. Throws only UnreadableTranscript. */
export function parseArchivedDocument(content: string): ParsedDocument {
  try {
    const json = jsonIn('json', content)
    return { document: readArchivedDocument(json), warnings: ignoredKeys(json), startedAt: null }
  } catch (error) {
    throw unreadable(error)
  }
}

export interface ParsedDocument {
  document: ImportDocument
  /** The ignored parts, one sentence each. */
  warnings: string[]
  /** The start according to the file outside of its document. */
  startedAt: WallTime | null
}

/** Returns labels that are names of people, unlike "Speaker 1" and "Project Manager". */
function namedSpeakers(segments: Segment[]) {
  const labels = [...new Set(segments.map(({ speaker }) => speaker))].filter(isNameOfSomebody)
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
  const named = extension === 'json' || extension === 'jsonl'
  const like = /^\s*(?:\{\s*["}]|\[\s*[[{\]])/.test(text)
  if (!named && !like) return undefined
  try {
    return parseLenient(text)
  } catch (error) {
    if (!like && isOtherThanText(text)) return undefined
    const lines = parseJsonLines(text)
    if (lines !== null) return lines
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

type Parser = (content: string) => ParsedTranscript

const SAMPLE = 4096
const SNIFFED_LINES = 10
const XML_EXTENSIONS = new Set(['xml', 'ttml', 'dfxp', 'itt', 'srv1', 'srv2', 'srv3'])
const TABLE_HEAD = /^"?start"?[\t,;]\s*"?end"?[\t,;].*\btext\b/i
/** A page may begin with a comment of the program that has saved it. */
const COMMENTS = /^(?:\s*<!--[^>]{0,2000}-->)+/

/** Chooses the parser of a text that is not JSON. The extension decides unless the text starts like another format. */
export function chooseParser(extension: string, text: string): Parser {
  if (/^WEBVTT(?=\s|$)/.test(text)) return parseVtt
  const markup = chooseMarkup(extension, text)
  if (markup) return markup
  refuseOtherContent(text, extension)
  if (extension === 'vtt') return parseVtt
  if (extension === 'srt') return parseSrt
  const opening = openingOf(text)
  if (opening.some(isCueTiming)) return readWithNames
  if (opening.some(isSbvTiming)) return parseSbv
  const [first = ''] = opening
  if (extension === 'lrc' || (opening[0] !== undefined && isLrcTag(opening[0]))) return parseLrc
  if (isLabelTrack(opening)) return parseLabelTrack
  if (extension === 'tsv') return content => parseTable(content, '\t')
  if (extension === 'csv' || TABLE_HEAD.test(first)) return content => parseTable(content, separatorIn(first))
  refuseOtherExtension(text, extension)
  return extension === 'md' || extension === 'markdown' ? readMarkdown : readText
}

/** Returns whether a text starts like captions or markup, whatever its extension says. */
export function isOtherThanText(text: string) {
  return /^WEBVTT(?=\s|$)/.test(text) || openingOf(text).some(line => isCueTiming(line) || isSbvTiming(line))
}

export function extensionOf(fileName: string) {
  return /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ''
}

function openingOf(text: string) {
  const lines = text.slice(0, SAMPLE).split(/\r\n|\r|\n/)
  // The last line may be cut.
  const whole = text.length > SAMPLE && lines.length > 1 ? lines.slice(0, -1) : lines
  return whole.filter(line => line.trim() !== '').slice(0, SNIFFED_LINES)
}

/** Older documents of Teams have the name of the speaker below the times of each cue. */
function readWithNames(content: string) {
  return readHeaders(content.split(/\r\n|\r|\n/), { cue: LAYOUTS.cue }) ?? parseSrt(content)
}

function chooseMarkup(extension: string, text: string): Parser | null {
  const sample = text.slice(0, SAMPLE).replace(COMMENTS, '')
  const isPage = /^\s*<(?:!doctype html|html)[\s>]/i.test(sample) || extension === 'html' || extension === 'htm'
  if (isPage || /^\s*<(?:cite|time)>/i.test(sample)) return isPodcastHtml(text) ? parsePodcastHtml : null
  if (
    !/^\s*<(?:\?xml|(?:\w{1,20}:)?tt[\s>])/i.test(sample) &&
    !(XML_EXTENSIONS.has(extension) && /^\s*</.test(sample))
  ) {
    return null
  }
  const root = rootOf(sample)
  if (root === 'tt') return parseTtml
  if (root === 'transcript' || root === 'timedtext') return parseYouTubeXml
  if (root !== undefined) refuseOtherXml(root)
  const name = root === undefined ? '' : ` of the kind <${oneLine(root.slice(0, 40))}>`
  throw new UnreadableTranscript(`The file is XML${name}: send TTML, .srt, .vtt or .txt.`)
}

/** The name of the root element, behind the declaration, comments and the document type. */
function rootOf(sample: string) {
  return /<(?:[a-z][\w.-]{0,30}:)?([a-z][\w.-]{0,60})[\s/>]/i.exec(
    sample.replace(/<!--.*?(?:-->|$)|<\?.*?(?:\?>|$)|<!doctype[^>]*>/gis, '')
  )?.[1]
}
