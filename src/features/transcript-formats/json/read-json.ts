import { primaryLanguage } from '../../../platform/text/language-code.ts'
import { type ParsedTranscript, UnreadableTranscript } from '../transcript.ts'
import { readAbout } from './about.ts'
import { readAnyTool } from './any-tool.ts'
import { findTimes } from './clocks.ts'
import { isRecord, type JsonRecord, objectsOf, someObjects } from './fields.ts'
import { findSpeaker } from './keys.ts'
import { READERS } from './readers.ts'
import { describeKeys, describeUnread, type ReadOptions } from './unread.ts'

/** The keys that scripts and services put around the answer of a tool. */
const WRAPPERS = [
  'results',
  'result',
  'output',
  'response',
  'data',
  'transcript',
  'transcription',
  'transcripts',
  'inlineResult',
  'raw'
]
const MAX_WRAPPERS = 5
/** The keys that a list at the top may have lost. */
const LISTS = ['segments', 'chunks', 'utterances', 'words', 'transcription', 'events', 'speakers']

/** Recognises the JSON of a tool by its shape. An import document, which is for the caller to read, is returned as `document`. */
export function readToolJson(json: unknown, options: ReadOptions = {}): JsonContent {
  let inner = json
  let refusal: unknown
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    const found = readShape(inner)
    if (found && 'document' in found) return found
    if (found) {
      try {
        return { transcript: complete(json, found.transcript, found.keys, options) }
      } catch (error) {
        // Another reader may know the keys that this one has not read.
        refusal = error
        break
      }
    }
    const next = unwrap(inner)
    if (next === undefined) break
    inner = next
  }
  const any = readByKeys(json, refusal, options)
  if (any) return any
  throw new UnreadableTranscript(
    `The JSON is not a transcript of a known tool, and not an import document: ${describeKeys(json)}.`
  )
}

type JsonContent = { transcript: ParsedTranscript } | { document: JsonRecord }
type Shape = { transcript: ParsedTranscript; keys: string } | { document: JsonRecord }

function readShape(json: unknown): Shape | null {
  if (!isRecord(json)) return null
  for (const { read, keys } of READERS) {
    const transcript = read(json)
    if (transcript) return { transcript, keys }
  }
  return isDocument(json) ? { document: json } : null
}

/** Services of transcription know nothing of the meeting, and their dates are those of the job. */
function complete(json: unknown, transcript: ParsedTranscript, keys: string, options: ReadOptions): ParsedTranscript {
  const about = readAbout(json)
  const known = new Set([...WRAPPERS, ...keys.split(' '), ...about.keys])
  const unread = describeUnread(json, known, transcript, options)
  return {
    ...transcript,
    title: transcript.title ?? about.title ?? null,
    summary: about.summary ?? null,
    ...(about.actionItems && { actionItems: about.actionItems }),
    warnings: [...(transcript.warnings ?? []), ...unread]
  }
}

/** Reads the list of any tool by the names of its keys. Throws the refusal of the reader before if that is no better. */
function readByKeys(json: unknown, refusal: unknown, options: ReadOptions): JsonContent | null {
  const about = readAbout(json)
  const { startedAt } = about
  const found = readAnyTool(json, startedAt?.utc ? Date.parse(`${startedAt.text}Z`) / 1000 : null)
  if (!found) {
    if (refusal !== undefined) throw refusal
    return readLostList(json, options) ?? (isRecord(json) && 'segments' in json ? { document: json } : null)
  }
  const { transcript, keys, since } = found
  const unread = describeUnread(json, new Set([...WRAPPERS, ...PARTS, ...keys, ...about.keys]), transcript, options)
  const instant = since === null ? null : { text: new Date(since * 1000).toISOString().slice(0, 19), utc: true }
  return {
    transcript: {
      ...transcript,
      language: transcript.language ?? primaryLanguage(about.language ?? null),
      title: about.title ?? null,
      startedAt: startedAt ?? instant,
      summary: about.summary ?? null,
      ...(about.actionItems && { actionItems: about.actionItems }),
      ...(about.tags && { tags: about.tags }),
      warnings: [...(transcript.warnings ?? []), ...unread]
    }
  }
}

/** Words say what a turn says again; an assignee is read with its item. */
const PARTS = ['words', 'tokens', 'assignee']

function readLostList(json: unknown, options: ReadOptions): JsonContent | null {
  const entries = Array.isArray(json) && json.length > 1 ? someObjects(json) : null
  if (!entries) return null
  for (const key of LISTS) {
    const shape = readShape({ [key]: entries })
    if (shape && 'transcript' in shape)
      return { transcript: complete({ [key]: entries }, shape.transcript, shape.keys, options) }
  }
  return entries.every(isText) ? { document: { segments: entries } } : null
}

/** Entries that hold lists are transcripts themselves, and a file holds one. */
function isText(entry: JsonRecord) {
  return 'text' in entry && Object.values(entry).every(value => typeof value !== 'object' || value === null)
}

/** A document is one by its segments, whose speakers and times have the names of its own, or by its recording. */
function isDocument({ segments, speakers, media }: JsonRecord) {
  if (segments === undefined) return isRecord(media) && ('audio' in media || 'video' in media)
  const labelled = speakers === undefined || (objectsOf(speakers)?.every(entry => 'label' in entry) ?? false)
  return labelled && (objectsOf(segments)?.every(isOwnSegment) ?? false)
}

function isOwnSegment(entry: JsonRecord) {
  if (!('text' in entry)) return false
  if (!('speaker' in entry) && findSpeaker(entry) !== null) return false
  // Its speakers are texts and its times numbers, while tools also number speakers and write times as text.
  if (entry.speaker !== null && ['object', 'number'].includes(typeof entry.speaker)) return false
  if (typeof entry.start === 'string' || typeof entry.end === 'string') return false
  return 'start' in entry || !hasTimes(entry)
}

function hasTimes(entry: JsonRecord) {
  try {
    return findTimes(entry, []).start !== null
  } catch {
    return true
  }
}

function unwrap(json: unknown): unknown {
  if (Array.isArray(json)) return json.length === 1 ? json[0] : undefined
  if (!isRecord(json)) return undefined
  const wrapper = WRAPPERS.find(key => typeof json[key] === 'object' && json[key] !== null)
  if (wrapper !== undefined) return json[wrapper]
  // Version 2 of Google Speech keeps each result by the address of its audio.
  const values = Object.values(json)
  return values.length === 1 && isRecord(values[0]) ? values[0] : undefined
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs

/** Parses JSON, and the NaN and Infinity of Python as null. Throws a SyntaxError. */
export function parseLenient(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!/\b(?:NaN|Infinity)\b/.test(text)) throw error
    return JSON.parse(text.replace(STRING_OR_NUMBER, found => (found.startsWith('"') ? found : 'null')))
  }
}
