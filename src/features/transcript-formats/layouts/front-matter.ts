import { parse } from 'yaml'
import { DEFAULT_SPEAKER } from '../../../contract/import-document.ts'
import { oneLine } from '../../../contract/text.ts'
import { knownSpeaker } from '../../../platform/text/speaker-name.ts'
import type { WallTime } from '../../../platform/text/wall-time.ts'
import { parseWrittenDate } from '../../../platform/text/written-date.ts'
import { parseLength } from '../clock-time.ts'
import type { ParsedTranscript } from '../transcript.ts'

interface FrontMatter {
  title: string | null
  startedAt: WallTime | null
  lengthSeconds: number | null
  language: string | null
  tags: string[]
  speakers: string[]
  warnings: string[]
  /** The lines with those of the front matter blank, so that the numbers of lines stay. */
  lines: readonly string[]
}

const FENCE = /^---\s*$/
const END = /^(?:---|\.\.\.)\s*$/
const MAX_LINES = 400
/** A longer one is read line by line: the parser takes quadratic time for some texts, which is little at this length. */
const MAX_CHARACTERS = 8_192
/** Enough for what people write, and too few for a file that grows as it is read. */
const MAX_ALIASES = 50
const FIELD = /^[\p{L}_][\p{L}\p{N}_ .-]{0,60}:(?:\s|$)/u
const CONTINUATION = /^(?:\s|- |$|#|\]|\})/

const KEYS = {
  title: ['title'],
  date: ['date', 'datetime', 'date_recorded', 'recorded', 'recorded_at', 'published', 'created'],
  length: ['duration', 'length'],
  language: ['language', 'lang'],
  tags: ['tags', 'keywords'],
  speakers: ['speakers', 'speaker', 'participants', 'guests', 'guest', 'hosts', 'host']
}

const ALL_KEYS = new Set(Object.values(KEYS).flat())

/** Reads the YAML between two lines of `---` at the head of a text. Returns null for a text without. */
export function readFrontMatter(lines: readonly string[]): FrontMatter | null {
  const from = lines.findIndex(line => line.trim() !== '')
  if (from === -1 || !FENCE.test(lines[from] ?? '')) return null
  const length = lines.slice(from + 1, from + MAX_LINES).findIndex(line => END.test(line))
  if (length < 1) return null
  const inside = lines.slice(from + 1, from + 1 + length)
  const filled = inside.filter(line => line.trim() !== '')
  if (!FIELD.test(filled[0] ?? '') || !inside.every(line => FIELD.test(line) || CONTINUATION.test(line))) return null
  const isAll = lines.slice(from + length + 2).every(line => line.trim() === '')
  if (isAll && !filled.some(line => ALL_KEYS.has(line.slice(0, line.indexOf(':')).toLowerCase()))) return null
  const keys = new Set(filled.map(line => FIELD.exec(line)?.[0].trim()))
  // Words before a colon that come again below are speakers between two rules.
  if (
    lines
      .slice(from + length + 2)
      .some(line => keys.has(FIELD.exec(line.slice(0, 80))?.[0].trim()) && FIELD.test(line.slice(0, 80)))
  )
    return null
  const blank = lines.map((line, at) => (at >= from && at <= from + length + 1 ? '' : line))
  return { ...toFacts(fieldsOf(inside)), lines: blank }
}

type Fields = ReadonlyMap<string, unknown>

function fieldsOf(inside: readonly string[]): Fields {
  const text = inside.join('\n')
  if (text.length <= MAX_CHARACTERS) {
    try {
      const value: unknown = parse(text, { maxAliasCount: MAX_ALIASES, uniqueKeys: false, logLevel: 'error' })
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return new Map(Object.entries(value))
    } catch {
      // Many archives are not strict, as in `title: Part 1: the pump`.
    }
  }
  return looseFieldsOf(inside)
}

/** Reads the lines of front matter that is no valid YAML: `key: value`, and the entries of lists. */
function looseFieldsOf(inside: readonly string[]): Fields {
  const fields = new Map<string, unknown>()
  let list: unknown[] = []
  for (const line of inside) {
    const [, item] = /^\s*-\s+(.{1,500})$/.exec(line) ?? []
    if (item !== undefined) list.push(unquoted(item))
    const colon = FIELD.test(line) ? line.indexOf(':') : -1
    if (colon === -1) continue
    const value = unquoted(line.slice(colon + 1, colon + 2_000))
    list = []
    fields.set(line.slice(0, colon).trim(), value === '' ? list : value)
  }
  return fields
}

function unquoted(text: string) {
  const bare = text.trim()
  const [quote] = bare
  return (quote === '"' || quote === "'") && bare.endsWith(quote) && bare.length > 1 ? bare.slice(1, -1) : bare
}

function toFacts(fields: Fields): Omit<FrontMatter, 'lines'> {
  const used = new Set<string>()
  function take<T>(names: readonly string[], read: (value: unknown) => T | null): T | null {
    for (const [key, value] of fields) {
      if (!names.includes(key.toLowerCase().trim())) continue
      const found = read(value)
      if (found !== null) {
        used.add(key)
        return found
      }
    }
    return null
  }
  const facts = {
    title: take(KEYS.title, textIn),
    startedAt: take(KEYS.date, dateIn),
    lengthSeconds: take(KEYS.length, value => parseLength(textIn(value) ?? '')),
    language: take(KEYS.language, textIn),
    tags: take(KEYS.tags, textsIn) ?? [],
    speakers: KEYS.speakers.flatMap(key => take([key], textsIn) ?? [])
  }
  const others = [...fields.keys()].filter(key => !used.has(key)).map(key => oneLine(key).slice(0, 60))
  const warnings = others.length === 0 ? [] : [`The front matter has keys that are not used: ${others.join(', ')}`]
  return { ...facts, warnings }
}

function textIn(value: unknown) {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? oneLine(text) : null
}

/** Some archives give times in the form of ISO 8601, which begin with the day. */
function dateIn(value: unknown): WallTime | null {
  const text = value instanceof Date ? value.toISOString() : textIn(value)
  if (text === null) return null
  return parseWrittenDate(text) ?? parseWrittenDate(text.replace(/^(\d{4})[/.](\d{1,2})[/.](\d{1,2})/, '$1-$2-$3'))
}

function textsIn(value: unknown): string[] | null {
  const texts = Array.isArray(value)
    ? value.flatMap(entry => textIn(entry) ?? nameIn(entry) ?? [])
    : textIn(value)?.split(/\s*,\s*/)
  return texts && texts.length > 0 ? texts : null
}

function nameIn(value: unknown) {
  const [name] =
    typeof value === 'object' && value !== null ? Object.entries(value).filter(([key]) => key === 'name') : []
  return textIn(name?.[1])
}

/** The only speaker that the front matter names has said a text in which nobody is named. */
export function withFrontMatter(transcript: ParsedTranscript, front: FrontMatter): ParsedTranscript {
  const isUnnamed = transcript.segments.every(({ speaker }) => speaker === DEFAULT_SPEAKER)
  const only = front.speakers.length === 1 && isUnnamed ? knownSpeaker(front.speakers[0]) : null
  const segments = only === null ? transcript.segments : transcript.segments.map(said => ({ ...said, speaker: only }))
  const known = new Set(segments.map(({ speaker }) => speaker))
  const unheard = front.speakers.filter(name => !known.has(name))
  return {
    ...transcript,
    segments,
    title: front.title ?? transcript.title ?? null,
    startedAt: front.startedAt ?? transcript.startedAt ?? null,
    durationSeconds: front.lengthSeconds ?? transcript.durationSeconds,
    language: transcript.language ?? front.language,
    tags: front.tags,
    warnings: [
      ...front.warnings,
      ...(unheard.length === 0
        ? []
        : [`The front matter has speakers who stand before no text: ${unheard.join(', ')}`]),
      ...(transcript.warnings ?? [])
    ]
  }
}
