import { storable } from '../../../contract/import-document.ts'
import { oneLine } from '../../../contract/text.ts'
import { type ParsedTranscript, UnreadableTranscript } from '../transcript.ts'
import { readAssemblyAi } from './assemblyai.ts'
import { readAws } from './aws.ts'
import { readAzure } from './azure.ts'
import { readDeepgram } from './deepgram.ts'
import { readElevenLabs } from './elevenlabs.ts'
import { isRecord, type JsonRecord, someObjects } from './fields.ts'
import { readGoogle } from './google.ts'
import { readPodcast } from './podcast.ts'
import { readRevAi } from './rev-ai.ts'
import { readSpeechmatics } from './speechmatics.ts'
import { readUtterances } from './utterances.ts'
import { readWhisper } from './whisper.ts'
import { readYouTube } from './youtube.ts'

/** Each returns null unless the object has the shape of its tool. Whisper comes last, because its shapes are the loosest. */
const READERS = [
  readPodcast,
  readYouTube,
  readElevenLabs,
  readAws,
  readDeepgram,
  readSpeechmatics,
  readGoogle,
  readRevAi,
  readAzure,
  readAssemblyAi,
  readUtterances,
  readWhisper
]

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
export function readToolJson(json: unknown): JsonContent {
  let inner = json
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    const found = readShape(inner)
    if (found) return found
    const next = unwrap(inner)
    if (next === undefined) break
    inner = next
  }
  throw new UnreadableTranscript(
    `The JSON is not a transcript of a known tool, and not an import document: ${describeKeys(json)}.`
  )
}

type JsonContent = { transcript: ParsedTranscript } | { document: JsonRecord }

function readShape(json: unknown): JsonContent | null {
  if (Array.isArray(json)) return json.length > 1 ? readList(json) : null
  if (!isRecord(json)) return null
  const transcript = readTool(json)
  if (transcript) return { transcript }
  return isDocument(json) ? { document: json } : null
}

function readTool(json: JsonRecord) {
  for (const reader of READERS) {
    const transcript = reader(json)
    if (transcript) return transcript
  }
  return null
}

function readList(list: unknown[]): JsonContent | null {
  const entries = someObjects(list)
  if (!entries) return null
  for (const key of LISTS) {
    const transcript = readTool({ [key]: entries })
    if (transcript) return { transcript }
  }
  return entries.every(isSegment) ? { document: { segments: entries } } : null
}

/** Entries that hold lists are transcripts themselves, and a file holds one. */
function isSegment(entry: JsonRecord) {
  return 'text' in entry && Object.values(entry).every(value => typeof value !== 'object' || value === null)
}

/** A list named segments is enough: its entries are then validated, so that the sender learns what is wrong with them. */
function isDocument(json: JsonRecord) {
  return 'segments' in json || 'media' in json
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

const MAX_KEYS = 10
const MAX_KEY = 40

function describeKeys(json: unknown): string {
  if (Array.isArray(json))
    return isRecord(json[0]) ? `it is a list, and of its first entry ${describeKeys(json[0])}` : 'it is a list'
  if (!isRecord(json)) return 'it is a single value'
  const keys = Object.keys(json)
  if (keys.length === 0) return 'it has no keys'
  const shown = keys.slice(0, MAX_KEYS).map(key => oneLine(storable(key.slice(0, MAX_KEY))))
  return `it has the keys ${shown.join(', ')}${keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : ''}`
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
