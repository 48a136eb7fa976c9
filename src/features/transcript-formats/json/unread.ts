import { DEFAULT_SPEAKER, storable } from '../../../contract/import-document.ts'
import { oneLine } from '../../../contract/text.ts'
import type { ParsedTranscript } from '../transcript.ts'
import { UnreadableTranscript } from '../transcript.ts'
import { isRecord, type JsonRecord } from './fields.ts'
import { plainKey } from './keys.ts'

const MAX_DEPTH = 4
const MAX_NAMED = 20
const MAX_KEY = 60
/** Entries of one list have the same keys, except for a few. */
const MAX_ENTRIES = 20_000
const PEOPLE = /speaker|participant|voice|monologue|diari[sz]|^(?:people|persons?|authors?|parties|users?)$/
const SPEAKS = /speaker|participant|voice/
/** Keys that tell how well a speaker was recognised, or how many there are. */
const NO_PEOPLE = /count|confidence|score|embedding|number|model|invoice|switch/
const TIMES =
  /timestamp|timing|timeline|^(?:words?|wordsegments|tokens|alignments?|times|events|cues|segments|captions|subtitles)$/

export interface ReadOptions {
  /** False if a transcript is taken without the speakers or times that may stand under unknown keys. */
  refusesUnread?: boolean
}

interface Unread {
  /** Paths of keys that hold lists or objects. */
  containers: Set<string>
  /** Paths of keys that may name who speaks, or when. */
  people: Set<string>
  times: Set<string>
}

/**
 * Returns a warning for each key that holds a list or an object and was not read. Throws if it may hold the speakers of a transcript that
 * has none, or the times of one that has none.
 */
export function describeUnread(
  json: unknown,
  known: ReadonlySet<string>,
  { segments }: ParsedTranscript,
  { refusesUnread = true }: ReadOptions = {}
): string[] {
  const unread: Unread = { containers: new Set(), people: new Set(), times: new Set() }
  collect(json, [], known, unread, 0)
  const isNobody = segments.every(({ speaker }) => speaker === DEFAULT_SPEAKER)
  const isTimeless = segments.every(({ start }) => start === null)
  if (refusesUnread && isNobody && unread.people.size > 0) throw refused('the speakers', unread.people, json)
  if (refusesUnread && isTimeless && unread.times.size > 0) throw refused('the times', unread.times, json)
  const paths = [...unread.containers]
  const named = paths.slice(0, MAX_NAMED).map(path => `${path}: ignored, because it is not a part of the transcript`)
  return paths.length > MAX_NAMED ? [...named, `${paths.length - MAX_NAMED} more keys are ignored`] : named
}

function refused(what: string, paths: ReadonlySet<string>, json: unknown) {
  const shown = [...paths].slice(0, 3).join(' and ')
  return new UnreadableTranscript(
    `The JSON is not of a known tool: ${shown} may hold ${what}, but cannot be read; ${describeKeys(json)}. Send it as an import document, or the captions as .vtt or .srt.`
  )
}

function collect(value: unknown, path: string[], known: ReadonlySet<string>, unread: Unread, depth: number) {
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) {
    for (const entry of value.slice(0, MAX_ENTRIES)) if (isRecord(entry)) collect(entry, path, known, unread, depth)
    return
  }
  if (!isRecord(value)) return
  for (const [key, inner] of Object.entries(value)) {
    if (known.has(key)) {
      if (typeof inner === 'object') collect(inner, [...path, key], known, unread, depth + 1)
      continue
    }
    const isFilled = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0
    if (isFilled) unread.containers.add(pathTo(path, key))
    note(inner, isFilled, key, path, unread)
  }
}

function note(inner: unknown, isFilled: boolean, key: string, path: string[], unread: Unread) {
  const plain = plainKey(key)
  if (NO_PEOPLE.test(plain)) return
  // A word or number of an entry may name its speaker; one about the whole file, such as the name of a model, does not.
  const isLabel = path.length > 0 && ((typeof inner === 'string' && inner.trim() !== '') || typeof inner === 'number')
  const within = isFilled ? keysWithin(inner) : []
  const holdsPeople = isFilled && (PEOPLE.test(plain) || within.some(name => SPEAKS.test(name)))
  if (holdsPeople || (isLabel && SPEAKS.test(plain))) unread.people.add(pathTo(path, key))
  const holdsTimes =
    TIMES.test(plain) || within.some(name => /^(?:starttime|endtime|start|end|startms|endms)$/.test(name))
  if (isFilled && holdsTimes) unread.times.add(pathTo(path, key))
}

/** The keys of an object, or of the first entry of a list. */
function keysWithin(value: unknown) {
  const inner = Array.isArray(value) ? value[0] : value
  return isRecord(inner) ? Object.keys(inner).map(plainKey) : []
}

function pathTo(path: readonly string[], key: string) {
  return [...path, key].map(part => oneLine(storable(part.slice(0, MAX_KEY)))).join('.')
}

const MAX_KEYS = 10

/** Describes a JSON by its keys, and one with a single key by those below it. */
export function describeKeys(json: unknown): string {
  if (Array.isArray(json))
    return isRecord(json[0]) ? `it is a list, and of its first entry ${describeKeys(json[0])}` : 'it is a list'
  if (!isRecord(json)) return 'it is a single value'
  const keys = Object.keys(json)
  if (keys.length === 0) return 'it has no keys'
  const [key = ''] = keys
  const inner = json[key]
  const below = keys.length === 1 ? (Array.isArray(inner) ? inner[0] : inner) : undefined
  const shown = keys.slice(0, MAX_KEYS).map(name => oneLine(storable(name.slice(0, MAX_KEY))))
  const more = keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : ''
  const found = `it has the keys ${shown.join(', ')}${more}`
  return isRecord(below) && Object.keys(below).length > 0 ? `${found}, and below it ${namesOf(below)}` : found
}

function namesOf(record: JsonRecord) {
  const keys = Object.keys(record)
  const shown = keys.slice(0, MAX_KEYS).map(name => oneLine(storable(name.slice(0, MAX_KEY))))
  return `${shown.join(', ')}${keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : ''}`
}
