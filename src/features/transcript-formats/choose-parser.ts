import { oneLine } from '../../contract/text.ts'
import { parseSrt, parseVtt } from './captions.ts'
import { isCueTiming } from './cues.ts'
import { LAYOUTS } from './layouts/header.ts'
import { readHeaders } from './layouts/headers.ts'
import { readMarkdown, readText } from './layouts/read-text.ts'
import { isLrcTag, parseLrc } from './lrc.ts'
import { refuseOtherContent, refuseOtherExtension } from './other-formats.ts'
import { isPodcastHtml, parsePodcastHtml } from './podcast-html.ts'
import { isSbvTiming, parseSbv } from './sbv.ts'
import { isLabelTrack, parseLabelTrack, parseTable, separatorIn } from './tables.ts'
import { type ParsedTranscript, UnreadableTranscript } from './transcript.ts'
import { parseTtml } from './ttml.ts'

type Parser = (content: string) => ParsedTranscript

const SAMPLE = 4096
const SNIFFED_LINES = 10
const XML_EXTENSIONS = new Set(['xml', 'ttml', 'dfxp', 'itt'])
const TABLE_HEAD = /^"?start"?[\t,;]\s*"?end"?[\t,;].*\btext\b/i

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
  const sample = text.slice(0, SAMPLE)
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
  const name = root === undefined ? '' : ` of the kind <${oneLine(root.slice(0, 40))}>`
  throw new UnreadableTranscript(`The file is XML${name}: send TTML, .srt, .vtt or .txt.`)
}

/** The name of the root element, behind the declaration, comments and the document type. */
function rootOf(sample: string) {
  return /<(?:[a-z][\w.-]{0,30}:)?([a-z][\w.-]{0,60})[\s/>]/i.exec(
    sample.replace(/<!--.*?(?:-->|$)|<\?.*?(?:\?>|$)|<!doctype[^>]*>/gis, '')
  )?.[1]
}
